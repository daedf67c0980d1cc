/** Agents that never stop asking, and never run far ahead of what is decided. */
import { setTimeout as sleep } from 'node:timers/promises';
import { requests } from './agents-at-work.ts';
import { appendUntilTaken } from './follow-log.ts';

const SHARE = 100;

export type Asking = {
  /** How many actions were asked for. */
  asked(): number;
  /** Resolves once nothing more is appended. */
  stop(): Promise<void>;
};

/**
 * @param decided how many actions are decided
 * @param ahead how many may wait to be
 * @param perSecond at most
 */
export function keepAsking(
  bus: Parameters<typeof appendUntilTaken>[0],
  random: () => number,
  { decided, ahead, perSecond }: { decided: () => number; ahead: number; perSecond: number },
): Asking {
  const fromMs = performance.now();
  let isOn = true;
  let asked = 0;
  const done = (async () => {
    while (isOn) {
      const isDue = asked < ((performance.now() - fromMs) / 1_000) * perSecond;
      if (!isDue || asked - decided() >= ahead) {
        await sleep(10);
        continue;
      }
      await appendUntilTaken(bus, requests(asked, SHARE, random));
      asked += SHARE;
    }
  })();
  // Told by `stop`, which every test awaits.
  done.catch(() => {});
  return {
    asked: () => asked,
    stop() {
      isOn = false;
      return done;
    },
  };
}
