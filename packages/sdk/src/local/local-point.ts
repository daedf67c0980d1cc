/** Local mode: the state is in the memory of this process. */
import type { DecisionPoint, Prices } from '../decision-point.ts';
import { type EngineOptions, enginePoint } from '../engine-point.ts';
import type { StateManager } from '../state.ts';

type LocalOptions = EngineOptions & { state: StateManager; prices?: Prices | undefined };

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function localPoint({ state, prices, ...options }: LocalOptions): DecisionPoint {
  const point = enginePoint(options, { state, open: () => state, step: (work) => work(state) });
  return { ...point, ...(prices && { prices }) };
}
