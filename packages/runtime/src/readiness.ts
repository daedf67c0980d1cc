/** One requirement of a process, and whether it is met. `detail` is for people, and every caller can see it. */
export type ReadinessCheck = {
  name: string;
  ok: boolean;
  /**
   * True if the process works with an older document. The last edit is bad, so the last good document is in force.
   */
  stale?: boolean;
  detail?: string;
};

/**
 * Returns ready if `ping` resolves. The reason of a failure is only logged, because every caller may ask for
 * readiness.
 */
export async function answers(name: string, ping: Promise<void>): Promise<ReadinessCheck> {
  return ping.then(
    () => ({ name, ok: true }),
    () => ({ name, ok: false, detail: 'it does not answer' }),
  );
}
