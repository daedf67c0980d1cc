/** The longest wait that a receiver can ask for. After this time the delivery is tried anyway. */
const LONGEST_ASKED_MS = 60 * 60_000;

/**
 * Returns how long to wait before the next attempt. The wait doubles each time, up to `longestRetryMs`. A random part
 * of up to half is subtracted, so that deliveries that failed together are not retried together. A wait that the
 * receiver asked for is kept in full.
 *
 * @param attempts the number of attempts so far, from 1
 * @param random in [0, 1)
 */
export function waitBeforeRetry(
  attempts: number,
  { firstRetryMs, longestRetryMs }: { firstRetryMs: number; longestRetryMs: number },
  { random, askedMs }: { random: number; askedMs: number | null },
): number {
  const doubledMs = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs);
  const ownMs = doubledMs * (1 - random / 2);
  return Math.max(ownMs, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}
