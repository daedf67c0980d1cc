/** Limits work to a rate, and to one second's worth after a rest. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Each call resolves when `count` more are due. */
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
