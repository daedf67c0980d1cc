/** Turns the ledger's settlement of an outcome into the published record `action.settled`. */

import type { ActionSettled, Outcome, SettleFacts, SettleRequest, UnitSettled } from '@mandate/schemas';
import {
  type CounterUnit,
  formatMicros,
  SETTLEMENT_MARKS,
  UNIT_NAMES,
  unitsIn,
  wireTime,
} from '@mandate/schemas/core';
import type { Sha256 } from './digest.ts';
import { settlementId } from './record-ids.ts';

export type Settled = {
  request: SettleRequest;
  outcome: Outcome;
  /** The id of the key that reported the outcome. Null if a producer wrote the outcome to the topic. */
  keyId: string | null;
  appendedAtMs: number;
  facts: SettleFacts;
  sha256?: Sha256;
};

export function settlementRecord(settled: Settled): ActionSettled {
  const { request, outcome, keyId, appendedAtMs, facts, sha256 } = settled;
  const marks = marksOf(facts);
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
      ...(request.usage !== undefined && { usage: request.usage }),
      ...(outcome.toolCalls !== undefined && { toolCalls: outcome.toolCalls }),
      ...(facts.usageMicros !== null && { usageMicros: facts.usageMicros }),
      reportedBy: { keyId, mayRelease: request.mayRelease },
      late: facts.late,
      deltaMicros: facts.deltaMicros,
      chargedMicros: facts.chargedMicros,
      cumulativeMicros: facts.cumulativeMicros,
      excessMicros: facts.excessMicros,
      releasedMicros: facts.releasedMicros,
      ...(facts.units !== undefined && { units: facts.units }),
      code: facts.kind === 'settled' ? (marks[0] ?? 'SETTLED') : 'NO_EFFECT',
      marks,
      reason: reasonOf(facts, request),
      completedAt: outcome.completedAt ?? null,
      settledAt: wireTime(facts.atMs),
      source: request.source,
      ledgerEpoch: facts.epoch,
      ledgerSequence: facts.sequence,
    },
  };
}

type Mark = (typeof SETTLEMENT_MARKS)[number];

function marksOf(facts: SettleFacts): Mark[] {
  const units = unitsIn(facts.units).map(([, settled]) => settled);
  const found: Record<Mark, boolean> = {
    EXCESS_QUARANTINED: facts.excessMicros > 0 || units.some(({ excess }) => excess > 0),
    OVERDRAWN: facts.overdrawn || units.some(({ overdrawn }) => overdrawn),
    COST_PER_CALL_EXCEEDED: facts.overCostPerCall,
    RELEASE_REFUSED: facts.releaseRefused || units.some(({ releaseRefused }) => releaseRefused),
  };
  return SETTLEMENT_MARKS.filter((mark) => found[mark]);
}

function reasonOf(facts: SettleFacts, request: SettleRequest): string {
  switch (facts.kind) {
    case 'unknown':
      return 'No decision on this action and attempt is remembered, so there is nothing to settle.';
    case 'not_allowed':
      return 'This action was not allowed, so nothing was reserved for it and nothing is settled.';
    case 'unremembered':
      return 'The outcome can settle nothing, and there is no room to remember that it was reported. It changes nothing.';
    case 'repeated':
      return 'An earlier outcome of this action has settled it, so this one changes nothing.';
    case 'settled':
      return [
        `The action costs ${formatMicros(facts.chargedMicros)} in all.`,
        ...whyKept(facts, request),
        ...whyMore(facts, request),
        ...(facts.late ? ['The outcome came after the lease had ended.'] : []),
        ...(facts.overdrawn
          ? [
              'A budget is overdrawn. It blocks the agent until an operator raises it, or gives money back to it.',
            ]
          : []),
        ...unitsIn(facts.units).flatMap(([unit, settled]) => unitWords(unit, settled)),
      ].join(' ');
  }
}

/** Says what the action uses in a unit, if something was reserved in it. */
function unitWords(unit: CounterUnit, { charged, releaseRefused, excess, overdrawn }: UnitSettled): string[] {
  const { noun } = UNIT_NAMES[unit];
  return [
    `The action uses ${charged} ${noun}.`,
    ...(releaseRefused
      ? [
          `The agent's own reports have given back as many ${noun} as maxReleases allows, so the reserved ${noun} stay charged.`,
        ]
      : []),
    ...(excess > 0
      ? [
          `The reported ${noun} are above their cap. Only the agent's own limits are charged with the excess of ${excess} ${noun}.`,
        ]
      : []),
    ...(overdrawn
      ? [
          `A limit on ${noun} is overdrawn. It blocks the agent until time frees it, or an operator raises it.`,
        ]
      : []),
  ];
}

/** The cost that counts as the actual cost, and who states it: the report itself, or the prices of its tokens. */
function metered({ usageMicros }: SettleFacts, { actualMicros }: SettleRequest): Metered | null {
  if (usageMicros !== null && usageMicros > (actualMicros ?? -1)) {
    return { micros: usageMicros, said: `The reported tokens cost ${formatMicros(usageMicros)}` };
  }
  return actualMicros === null
    ? null
    : { micros: actualMicros, said: `The report says ${formatMicros(actualMicros)}` };
}
type Metered = { micros: number; said: string };

/** Returns the reasons why the settlement charges more than the outcome reported. */
function whyKept(facts: SettleFacts, request: SettleRequest): string[] {
  const { status, verified, mayRelease } = request;
  if (facts.releaseRefused) {
    return [
      "The agent's own reports have given back as much as maxReleases allows, so the reservation stays charged.",
    ];
  }
  if (facts.chargedMicros === 0) return [];
  if (status === 'cancelled' && !mayRelease) {
    return ['The key of the report may not release the reservation, so the outcome settles as a failure.'];
  }
  const cost = metered(facts, request);
  const isLess = cost !== null && cost.micros < facts.chargedMicros;
  if (!isLess || status !== 'success' || verified === false) return [];
  return [`${cost.said}, but the policy sets a higher minimum charge.`];
}

function whyMore(facts: SettleFacts, request: SettleRequest): string[] {
  const said = metered(facts, request)?.said ?? '';
  const excess = formatMicros(facts.excessMicros);
  return [
    ...(facts.excessMicros > 0
      ? [
          `${said}, which is above its cap. Only the agent's own budgets are charged with the excess of ${excess}. If the report is true, charge the excess to the budgets that the agent shares. Otherwise give it back to the agent (mandate budgets adjust).`,
        ]
      : []),
    ...(facts.overCostPerCall ? [`${said}, which is above maxCostPerCall.`] : []),
  ];
}
