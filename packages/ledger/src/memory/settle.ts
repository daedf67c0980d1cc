/**
 * Applies an outcome. The first outcome of an ALLOW replaces its reservation by a cost, in every counter that the
 * ALLOW charged.
 */

import type { SettleFacts, SettleRequest } from '@mandate/schemas';
import { outcomeResult } from '@mandate/schemas/core';
import { excessIn, finalCharge, isOwnBudget, releasedOf, spentIn } from '@mandate/step';
import type { StepResult } from '../port.ts';
import { decisionForAttempt, openAgent } from './agents.ts';
import { applyOutcome } from './apply-outcome.ts';
import { findCounter } from './counters.ts';
import { isForgotten } from './deliveries.ts';
import { forgetBrief, remember, rememberBriefly } from './forget.ts';
import { openPosition } from './log-positions.ts';
import { answerAgain } from './redelivery.ts';
import type { Lease, Settled, StoredDecision, Unremembered } from './remembered.ts';
import { cutToExact, lifetimeSpend } from './reserve.ts';
import { hasRoom } from './room.ts';
import { type LedgerState, openTenant } from './state.ts';

export function settle(state: LedgerState, epoch: string, nowMs: number, request: SettleRequest): StepResult {
  const tenant = openTenant(state, request.tenant);
  const position = openPosition(state.positions, request.source);
  const again = answerAgain(position, request, nowMs);
  if (again !== null) return again;

  forgetBrief(state, tenant, nowMs);
  const agent = openAgent(tenant, request.agentId);
  const known = decisionForAttempt(agent, request);
  const entry = known === undefined || isForgotten(known, nowMs) ? null : known;
  const lease = entry?.lease ?? null;
  const found = kindOf(entry, lease);
  const isBrief = found !== 'settled' && !hasRoom(state, tenant, request, nowMs);
  const kind = isBrief ? 'unremembered' : found;
  const cost =
    kind === 'settled' && entry !== null && lease !== null ? charge(entry, lease, request, nowMs) : NOTHING;

  tenant.sequence += 1;
  const facts: SettleFacts = {
    epoch,
    sequence: tenant.sequence,
    atMs: nowMs,
    kind,
    late: kind === 'settled' && lease !== null && nowMs >= lease.expiresAtMs,
    ...cost,
    chargedMicros: lease?.chargedMicros ?? 0,
    cumulativeMicros: lifetimeSpend(tenant, request.agentId, nowMs),
  };
  const where = {
    agent,
    log: position.log,
    offset: position.offset,
    forgetAtMs: nowMs + state.replayMemoryMs,
  };
  if (isBrief) {
    const { sequence } = facts;
    const brief: Unremembered = {
      ...where,
      kind: 'unremembered',
      digest: null,
      sequence,
      unpublished: { facts },
    };
    rememberBriefly(state, brief);
    tenant.unpublished.add(brief);
  } else {
    const unpublished = { facts, entry: kind === 'settled' ? entry : null };
    const settled: Settled = { ...where, kind: 'settled', unpublished };
    remember(state, settled);
    tenant.unpublished.add(settled);
  }
  return { kind: 'settled', facts, redelivered: false };
}

function kindOf(
  entry: StoredDecision | null,
  lease: Lease | null,
): Exclude<SettleFacts['kind'], 'unremembered'> {
  if (entry === null) return 'unknown';
  if (lease === null) return 'not_allowed';
  return lease.result === null ? 'settled' : 'repeated';
}

type Charged = Pick<
  SettleFacts,
  | 'deltaMicros'
  | 'excessMicros'
  | 'usageMicros'
  | 'releasedMicros'
  | 'releaseRefused'
  | 'overCostPerCall'
  | 'overdrawn'
>;

const NOTHING: Charged = {
  deltaMicros: 0,
  excessMicros: 0,
  usageMicros: null,
  releasedMicros: 0,
  releaseRefused: false,
  overCostPerCall: false,
  overdrawn: false,
};

function charge(entry: StoredDecision, lease: Lease, request: SettleRequest, nowMs: number): Charged {
  const { agent, atMs } = entry;
  const releases = findCounter(agent.tenant.counters, releasedOf(agent.id));
  const { chargedMicros, excessMicros, usageMicros, releasedMicros, releaseRefused, overCostPerCall } =
    finalCharge(lease, request, releases === undefined ? 0 : spentIn(releases, nowMs));
  const deltaMicros = cutToExact(lease.charges, atMs, chargedMicros - lease.reservedMicros, nowMs);
  const own = excessMicros === 0 ? [] : lease.charges.filter((each) => isOwnBudget(each.counter, agent.id));
  const moved = {
    deltaMicros,
    excessMicros: own.reduce(
      (fits, { counter }) => excessIn(counter, atMs, { deltaMicros, excessMicros: fits }, nowMs),
      excessMicros,
    ),
    releasedMicros,
    result: outcomeResult(request),
  };
  applyOutcome(entry, moved, nowMs);
  return {
    deltaMicros,
    excessMicros: moved.excessMicros,
    usageMicros,
    releasedMicros,
    releaseRefused,
    overCostPerCall,
    overdrawn: deltaMicros + moved.excessMicros > 0 && overdrawn(lease, nowMs),
  };
}

function overdrawn(lease: Lease, nowMs: number): boolean {
  return lease.charges.some(
    ({ counter, maxMicros }) => maxMicros !== null && spentIn(counter, nowMs) > maxMicros,
  );
}
