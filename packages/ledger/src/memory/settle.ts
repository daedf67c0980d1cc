/**
 * Applies an outcome. The first outcome of an ALLOW replaces its reservation by a cost, in every counter that the
 * ALLOW charged.
 */

import type { SettleFacts, SettleRequest, UnitSettled } from '@mandate/schemas';
import { type CounterUnit, mapUnits, outcomeResult } from '@mandate/schemas/core';
import { excessIn, finalCharge, isOwnBudget, releasedOf, spentIn, unitCharge } from '@mandate/step';
import type { StepResult } from '../port.ts';
import { decisionForAttempt, openAgent } from './agents.ts';
import { applyOutcome } from './apply-outcome.ts';
import { findCounter } from './counters.ts';
import { isForgotten } from './deliveries.ts';
import { forgetBrief, remember, rememberBriefly } from './forget.ts';
import { openPosition } from './log-positions.ts';
import { answerAgain } from './redelivery.ts';
import type { Charge, Lease, Settled, StoredDecision, UnitLease, Unremembered } from './remembered.ts';
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
  | 'units'
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
  const units =
    lease.units && mapUnits(lease.units, (its, unit) => settledIn(unit, entry, its, request, nowMs));
  const moved = {
    deltaMicros,
    excessMicros: excessOf(entry, lease.charges, { delta: deltaMicros, excess: excessMicros }, nowMs),
    releasedMicros,
    ...(units !== undefined && { units }),
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
    overdrawn: deltaMicros + moved.excessMicros > 0 && isOverdrawn(lease.charges, nowMs),
    ...(units !== undefined && {
      units: mapUnits(units, (settled, unit) => ({
        ...settled,
        overdrawn:
          settled.delta + settled.excess > 0 && isOverdrawn(lease.units?.[unit]?.charges ?? [], nowMs),
      })),
    }),
  };
}

/** Computes what the outcome changes of the amount that is reserved in a unit. Changes nothing. */
function settledIn(
  unit: CounterUnit,
  { agent, atMs }: StoredDecision,
  lease: UnitLease,
  request: SettleRequest,
  nowMs: number,
): Omit<UnitSettled, 'overdrawn'> {
  const releases = findCounter(agent.tenant.counters, releasedOf(agent.id, unit));
  const held = releases === undefined ? 0 : spentIn(releases, nowMs);
  const { charged, excess, released, releaseRefused } = unitCharge(unit, lease, request, held);
  const delta = cutToExact(lease.charges, atMs, charged - lease.reserved, nowMs);
  return {
    delta,
    charged: lease.reserved + delta,
    excess: excessOf({ agent, atMs }, lease.charges, { delta, excess }, nowMs),
    released,
    releaseRefused,
  };
}

/** Returns the part of an excess that fits into the agent's own counters. */
function excessOf(
  { agent, atMs }: Pick<StoredDecision, 'agent' | 'atMs'>,
  charges: readonly Charge[],
  { delta, excess }: { delta: number; excess: number },
  nowMs: number,
): number {
  if (excess === 0) return 0;
  return charges
    .filter(({ counter }) => isOwnBudget(counter, agent.id))
    .reduce((fits, { counter }) => excessIn(counter, atMs, { delta, excess: fits }, nowMs), excess);
}

function isOverdrawn(charges: readonly Charge[], nowMs: number): boolean {
  return charges.some(({ counter, most }) => most !== null && spentIn(counter, nowMs) > most);
}
