import type { ReadinessCheck } from './health-routes.ts';

/** Ready when `ping` resolves. Why it did not is not for everybody who asks: that stands in the log. */
export async function answers(name: string, ping: Promise<void>): Promise<ReadinessCheck> {
  return ping.then(
    () => ({ name, ok: true }),
    () => ({ name, ok: false, detail: 'it does not answer' }),
  );
}
