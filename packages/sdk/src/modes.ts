/** Opens the decision point of a mode. */
import { MandateError } from '@mandate/runtime/errors';
import { openAudit } from './audit.ts';
import type { DecisionPoint } from './decision-point.ts';
import { localPoint } from './local/local-point.ts';
import { type MandateOptions, safely } from './mandate.ts';
import { planePoint } from './plane/plane-point.ts';
import { MemoryStateManager } from './state.ts';

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
export function openPoint(options: MandateOptions): DecisionPoint {
  const { mode = 'local', mandate, agentId, clock, state } = options;
  if (mode === 'plane') return planePoint({ ...options, onError: safely(options.onError) });
  if (mode !== 'local') {
    throw new MandateError('SDK_MISUSED', `There is no mode "${mode}".`, {
      remedy: 'Use the mode "local" or "plane".',
    });
  }
  const own = state ?? new MemoryStateManager(clock === undefined ? {} : { clock });
  const audit = openAudit(options.audit, safely(options.onError));
  // A state that was given may belong to other instances too, so it stays open.
  return localPoint({ mandate, agentId, state: own, audit, closesState: state === undefined });
}
