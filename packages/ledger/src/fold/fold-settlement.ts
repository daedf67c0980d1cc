/** Folds `action.settled`: corrects the reservation of its decision in the counters that the decision charged. */

import type { Settlement, UnitSettled } from '@mandate/schemas';
import { mapUnits, outcomeResult } from '@mandate/schemas/core';
import { decisionForAttempt, openAgent } from '../memory/agents.ts';
import { applyOutcome } from '../memory/apply-outcome.ts';
import { remember, rememberBriefly } from '../memory/forget.ts';
import { openPosition } from '../memory/log-positions.ts';
import { keepPendingOutcome, pendingKey } from '../memory/out-of-order-outcomes.ts';
import type { Moved, MovedUnit } from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';
import { advanceClock, advanceSequence, isAlreadyFolded } from './advance-clock.ts';

export function foldSettlement(state: LedgerState, settlement: Settlement): void {
  const tenant = advanceSequence(state, settlement.tenant, settlement.ledgerSequence);
  const atMs = advanceClock(state, settlement.settledAt);
  const { log, offset } = openPosition(state.positions, settlement.source);
  const known = log.deliveries.get(offset);
  if (isAlreadyFolded(known, { atMs, sequence: settlement.ledgerSequence })) return;

  const agent = openAgent(tenant, settlement.agentId);
  const forgetAtMs = atMs + state.replayMemoryMs;
  if (settlement.kind === 'unremembered') {
    const where = { agent, log, offset, sequence: settlement.ledgerSequence, forgetAtMs };
    rememberBriefly(state, { ...where, kind: 'unremembered', digest: null, unpublished: null });
    return;
  }
  remember(state, { kind: 'settled', agent, log, offset, forgetAtMs, unpublished: null });
  if (settlement.kind !== 'settled') return;

  const { deltaMicros, excessMicros, releasedMicros } = settlement;
  const moved = {
    deltaMicros,
    excessMicros,
    releasedMicros,
    ...unitsMoved(settlement),
    result: outcomeResult(settlement),
  };
  const entry = decisionForAttempt(agent, settlement);
  // If the fold has not read the decision yet, the outcome waits for the decision. Without a decision nothing was
  // charged.
  if (entry === undefined) keepPendingOutcome(state, pendingKey(settlement), { ...moved, forgetAtMs });
  else applyOutcome(entry, moved, state.clockMs);
}

function unitsMoved({ units }: Settlement): Pick<Moved, 'units'> {
  if (units === undefined) return {};
  return {
    units: mapUnits<UnitSettled, MovedUnit>(units, ({ delta, excess, released }) => ({
      delta,
      excess,
      released,
    })),
  };
}
