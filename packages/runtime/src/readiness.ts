/** One thing that a process needs in order to work. `detail` is for people, and every caller can see it. */
export type ReadinessCheck = {
  name: string;
  ok: boolean;
  /** The process works with an older document than people want: their last edit is bad, and the last good one is in force. */
  stale?: boolean;
  detail?: string;
};

/** Ready if `ping` resolves. The reason of a failure is only logged, because every caller may ask for readiness. */
export async function answers(name: string, ping: Promise<void>): Promise<ReadinessCheck> {
  return ping.then(
    () => ({ name, ok: true }),
    () => ({ name, ok: false, detail: 'it does not answer' }),
  );
}
