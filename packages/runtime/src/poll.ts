/**
 * Runs `task` now, and again `everyMs` after each run has ended, until it is stopped. Metrics and alarms use it.
 *
 * @param onFailure gets the error of a failed run. The next run follows in any case. Not called after `stop`
 */
export function poll(
  everyMs: number,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
): { stop(): void } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const runOnce = async () => {
    await task().catch((error: unknown) => {
      if (!isStopped) onFailure(error);
    });
    if (!isStopped) timer = setTimeout(runOnce, everyMs);
  };
  void runOnce();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
