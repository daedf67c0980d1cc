/** Looks at something again and again, for a metric or an alarm, each time so long after it has looked. */
export function lookOften(
  everyMs: number,
  look: () => Promise<void>,
  /** Told of a look that failed, unless it was stopped meanwhile; the next comes all the same. */
  onFailure: (error: unknown) => void,
): { stop(): void } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const lookOnce = async () => {
    await look().catch((error: unknown) => {
      if (!isStopped) onFailure(error);
    });
    if (!isStopped) timer = setTimeout(lookOnce, everyMs);
  };
  void lookOnce();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
