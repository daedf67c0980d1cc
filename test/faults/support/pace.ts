/** Limits work to a rate. After a rest, the work of at most one second is allowed at once. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns a function that waits until the rate allows `count` more. */
export function paceOf(perSecond: number): (count: number) => Promise<void> {
  let atMs = performance.now();
  let saved = 0;
  return async (count) => {
    for (;;) {
      const nowMs = performance.now();
      const most = Math.max(perSecond, count);
      saved = Math.min(most, saved + ((nowMs - atMs) / 1_000) * perSecond);
      atMs = nowMs;
      if (saved >= count) break;
      await sleep(10);
    }
    saved -= count;
  };
}
