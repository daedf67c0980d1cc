/** Local mode: the state is in the memory of this process. */
import type { DecisionPoint } from '../decision-point.ts';
import { type EngineOptions, enginePoint } from '../engine-point.ts';
import type { StateManager } from '../state.ts';

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function localPoint({ state, ...options }: EngineOptions & { state: StateManager }): DecisionPoint {
  return enginePoint(options, { state, open: () => state, step: (work) => work(state) });
}
