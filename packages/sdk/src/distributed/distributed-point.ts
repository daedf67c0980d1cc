/** Distributed mode: the state is in Redis, and every process with the same prefix shares it. */
import { isMandateError } from '@mandate/runtime/errors';
import { Backoff, sleep } from '../backoff.ts';
import type { DecisionPoint } from '../decision-point.ts';
import { type EngineOptions, enginePoint } from '../engine-point.ts';
import { Semaphore } from '../semaphore.ts';
import type { RedisStateManager } from './redis-state.ts';

/** The most steps that one process has under way at Redis. More would make each of them late. */
const MOST_STEPS = 32;
/** The most steps that wait for their turn, and for how long at most. */
const MOST_WAITING = 10_000;
const TURN_MS = 10_000;
/** How long the SDK tries to settle an outcome while Redis is away. The call waits for this. */
const SETTLE_MS = 5_000;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 1_000;

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function distributedPoint({
  state,
  ...options
}: EngineOptions & { state: RedisStateManager }): DecisionPoint {
  const steps = new Semaphore({ running: MOST_STEPS, waiting: MOST_WAITING });
  const point = enginePoint(options, {
    state,
    open: () => state.open(),
    step: (work) => steps.run(performance.now() + TURN_MS, () => state.step(work)),
  });
  const closing = new AbortController();
  return {
    ...point,
    settle: (outcome, type) => tryAgain(() => point.settle(outcome, type), closing.signal),
    close(options) {
      closing.abort();
      return point.close(options);
    },
  };
}

/** The ledger counts an outcome once, so an outcome may be sent again. A decision may not be sent again. */
async function tryAgain(settle: () => Promise<void>, closing: AbortSignal): Promise<void> {
  const untilMs = performance.now() + SETTLE_MS;
  const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  for (;;) {
    try {
      return await settle();
    } catch (error) {
      const waitMs = backoff.nextMs();
      const mayPass = isMandateError(error) && error.retryable && performance.now() + waitMs < untilMs;
      if (!mayPass || closing.aborted) throw error;
      await sleep(waitMs, closing);
    }
  }
}
