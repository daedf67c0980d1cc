/** Agents that never stop asking, at a pace, and never run far ahead of what is decided. */
import { setTimeout as sleep } from 'node:timers/promises';
import { paceOf } from './pace.ts';

const SHARE = 20;

export type Asking = {
  /** How many actions were asked for. */
  asked(): number;
  /** Resolves once nothing more is asked for. */
  stop(): Promise<void>;
};

/**
 * @param ask for so many actions, from that number on
 * @param decided how many actions are decided
 * @param ahead how many may wait to be
 * @param perSecond at most
 */
export function keepAsking(
  ask: (from: number, count: number) => Promise<unknown>,
  { decided, ahead, perSecond }: { decided: () => number; ahead: number; perSecond: number },
): Asking {
  const pace = paceOf(perSecond);
  let isOn = true;
  let asked = 0;
  const done = (async () => {
    while (isOn) {
      await pace(SHARE);
      while (isOn && asked - decided() >= ahead) await sleep(10);
      if (!isOn) break;
      await ask(asked, SHARE);
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
