/** Opens the decision point of a mode. */
import { MandateError } from '@mandate/runtime/errors';
import type { DecisionPoint } from './decision-point.ts';
import { localPoint } from './local/local-point.ts';
import type { MandateOptions } from './mandate.ts';
import { MemoryStateManager } from './state.ts';

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
export function openPoint({ mode = 'local', mandate, agentId, clock, state }: MandateOptions): DecisionPoint {
  if (mode !== 'local') {
    throw new MandateError('SDK_MISUSED', `There is no mode "${mode}".`, { remedy: 'Use the mode "local".' });
  }
  const own = state ?? new MemoryStateManager(clock === undefined ? {} : { clock });
  const point = localPoint({ mandate, agentId, state: own });
  // A state that was given may belong to other instances too, so it stays open.
  return state === undefined ? point : { ...point, close: async () => {} };
}
