/** A receiver that asks for a longer wait than this is asked earlier all the same. */
const LONGEST_ASKED_MS = 60 * 60_000;

/**
 * How long to wait before the next attempt: twice as long each time, up to `longestRetryMs`, of which a random half is
 * left out so that many who failed together do not come back together. What the receiver asked for is waited in full.
 *
 * @param attempts how many there were, from 1
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
