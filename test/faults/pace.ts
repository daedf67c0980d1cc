/** So much a second, and no more than a second's worth at once after a rest. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Each call resolves once so many more are due. */
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
