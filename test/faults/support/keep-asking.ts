/** Sends actions of agents continuously, at a fixed rate, and never far ahead of the decisions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { paceOf } from './pace.ts';

const SHARE = 20;

export type Asking = {
  /** Returns the number of actions sent so far. */
  asked(): number;
  /** Stops sending. Resolves after the last action was sent. */
  stop(): Promise<void>;
};

/**
 * @param ask sends `count` actions, numbered from `from`
 * @param decided returns the number of decided actions
 * @param ahead the number of actions that may be undecided
 * @param perSecond the maximum number of actions per second
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
  // An error is not lost: `stop` returns this promise, and every test awaits `stop`.
  done.catch(() => {});
  return {
    asked: () => asked,
    stop() {
      isOn = false;
      return done;
    },
  };
}
