/** From what the ledger did with an outcome to the record that is published: `action.settled`. */
import {
  type ActionSettled,
  formatMicros,
  type Outcome,
  type SettleFacts,
  type SettleRequest,
  wireTime,
} from '@mandate/schemas';
import type { Sha256 } from './digest.ts';
import { settlementId } from './record-ids.ts';

export type Settled = {
  request: SettleRequest;
  outcome: Outcome;
  appendedAtMs: number;
  facts: SettleFacts;
  sha256?: Sha256;
};

export function settlementRecord({ request, outcome, appendedAtMs, facts, sha256 }: Settled): ActionSettled {
  return {
    event: 'action.settled',
    settlement: {
      id: settlementId(request.source, appendedAtMs, sha256),
      kind: facts.kind,
      actionId: request.actionId,
      attempt: request.attempt,
      tenant: request.tenant,
      agentId: request.agentId,
      status: request.status,
      verified: request.verified,
      actualCostMicros: request.actualMicros,
      late: facts.late,
      deltaMicros: facts.deltaMicros,
      chargedMicros: facts.chargedMicros,
      cumulativeMicros: facts.cumulativeMicros,
      code: codeOf(facts),
      reason: reasonOf(facts),
      completedAt: outcome.completedAt ?? null,
      settledAt: wireTime(facts.atMs),
      source: request.source,
      ledgerEpoch: facts.epoch,
      ledgerSequence: facts.sequence,
    },
  };
}

function codeOf(facts: SettleFacts): ActionSettled['settlement']['code'] {
  if (facts.kind !== 'settled') return 'NO_EFFECT';
  return facts.overdrawn ? 'OVERDRAWN' : 'SETTLED';
}

function reasonOf(facts: SettleFacts): string {
  switch (facts.kind) {
    case 'unknown':
      return 'No decision on this action and attempt is remembered, so there is nothing to settle.';
    case 'not_allowed':
      return 'This action was not allowed, so nothing was reserved for it and nothing is settled.';
    case 'unremembered':
      return 'There is nothing that it could settle, and no room to remember that it was reported: it changes nothing.';
    case 'repeated':
      return 'An earlier outcome of this action has settled it; this one changes nothing.';
    case 'settled': {
      const late = facts.late ? ' The lease had run out before.' : '';
      const overdrawn = facts.overdrawn
        ? ' A budget is overdrawn: the agent is blocked until it is raised or given back to.'
        : '';
      return `The action costs ${formatMicros(facts.chargedMicros)} in all.${late}${overdrawn}`;
    }
  }
}
