/** Distributed mode: the state is in Redis, and every process with the same prefix shares it. */
import type { DecisionPoint } from '../decision-point.ts';
import { type EngineOptions, enginePoint } from '../engine-point.ts';
import { Semaphore } from '../semaphore.ts';
import type { RedisStateManager } from './redis-state.ts';

/** The most steps that one process has under way at Redis. More would make each of them late. */
const MOST_STEPS = 32;
/** The most steps that wait for their turn, and for how long at most. */
const MOST_WAITING = 10_000;
const TURN_MS = 10_000;

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function distributedPoint({
  state,
  ...options
}: EngineOptions & { state: RedisStateManager }): DecisionPoint {
  const steps = new Semaphore({ running: MOST_STEPS, waiting: MOST_WAITING });
  return enginePoint(options, {
    state,
    open: () => state.open(),
    step: (work) => steps.run(performance.now() + TURN_MS, () => state.step(work)),
  });
}
