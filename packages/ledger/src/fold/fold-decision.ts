/**
 * Folds `action.decided`: charges its reservation, and stores the decision for its attempt unless another decision
 * counts.
 */
import type { DecisionHead, Reservation, UnitReservation } from '@mandate/schemas';
import { type ByUnit, mapUnits } from '@mandate/schemas/core';
import { addToCounter, countAgain, openTurn, type SlidingRate, takeSlot } from '@mandate/step';
import { claim, decisionForAttempt, mayReplace, openAgent } from '../memory/agents.ts';
import { openRate } from '../memory/counters.ts';
import { beginWaiting, endWaiting, releaseSlots } from '../memory/deferrals.ts';
import { replayUntilMs } from '../memory/deliveries.ts';
import { remember, rememberBriefly } from '../memory/forget.ts';
import { attachDeferral, consumeGrant } from '../memory/grants.ts';
import { openPosition } from '../memory/log-positions.ts';
import { applyPendingOutcome } from '../memory/out-of-order-outcomes.ts';
import type { AgentState, Lease, StoredDecision, TenantState, UnitLease } from '../memory/remembered.ts';
import { chargesOf, unitChargesOf } from '../memory/reserve.ts';
import type { LedgerState } from '../memory/state.ts';
import { advanceClock, advanceSequence, isAlreadyFolded } from './advance-clock.ts';

export function foldDecision(state: LedgerState, decision: DecisionHead): void {
  const tenant = advanceSequence(state, decision.tenant, decision.ledgerSequence);
  const atMs = advanceClock(state, decision.decidedAt);
  const position = openPosition(state.positions, decision.source);
  const known = position.log.deliveries.get(position.offset);
  const { digest, ledgerSequence: sequence, grantConsumed } = decision;
  if (isAlreadyFolded(known, { atMs, sequence })) return;

  const agent = openAgent(tenant, decision.agentId);
  const { log, offset } = position;
  const appendedAtMs = Date.parse(decision.appendedAt);
  const untilMs = replayUntilMs({ atMs, appendedAtMs }, state.replayMemoryMs);
  if (decision.kind === 'unremembered') {
    const where = { agent, log, offset, digest, sequence, forgetAtMs: untilMs };
    rememberBriefly(state, { ...where, kind: 'unremembered', unpublished: null });
    return;
  }
  const lease = chargeAgain(state, agent, decision, atMs);
  if (lease !== null)
    turnsAgain(state, tenant, decision, { atMs, forgetAtMs: Math.max(untilMs, lease.expiresAtMs) });
  if (grantConsumed) takeSlotsAlong(state, agent, decision, atMs);
  const asksUntilMs = decision.deferral === undefined ? 0 : atMs + (decision.deferral.questionMs ?? 0);
  const entry: StoredDecision | null =
    decision.kind === 'duplicate'
      ? null
      : {
          kind: decision.kind,
          agent,
          log,
          offset,
          forgetAtMs: Math.max(untilMs, lease?.expiresAtMs ?? 0, asksUntilMs),
          actionId: decision.actionId,
          attempt: decision.attempt,
          idempotencyKey: decision.action.idempotencyKey ?? null,
          digest,
          appendedAtMs,
          atMs,
          sequence,
          verdict: decision.verdict,
          code: decision.code,
          final: decision.final,
          grantConsumed,
          lease,
          unpublished: null,
          another: null,
        };
  const replaces = entry !== null && mayReplace(agent, entry);
  if (entry !== null && decision.deferral !== undefined)
    deferAgain(state, entry, decision.deferral, replaces);
  if (entry === null || !replaces) {
    const forgetAtMs = untilMs;
    remember(state, { kind: 'duplicate', agent, log, offset, forgetAtMs, digest, unpublished: null });
    return;
  }
  remember(state, entry);
  claim(agent, entry);
  applyPendingOutcome(state, entry);
}

function chargeAgain(
  state: LedgerState,
  agent: AgentState,
  decision: DecisionHead,
  atMs: number,
): Lease | null {
  const { reservation, leaseExpiresAt } = decision;
  if (reservation === null || leaseExpiresAt === null) return null;
  const charges = chargesOf(agent, reservation.budgets);
  for (const { counter } of charges) addToCounter(counter, atMs, reservation.micros, state.clockMs);
  takeSlotsAgain(state, agent, reservation.rates, atMs);
  return {
    type: decision.type,
    tool: decision.tool,
    reservedMicros: reservation.micros,
    charging: reservation.charging,
    settling: reservation.settling,
    charges,
    ...(reservation.units !== undefined && {
      units: chargeUnitsAgain(state, agent, reservation.units, atMs),
    }),
    expiresAtMs: Date.parse(leaseExpiresAt),
    chargedMicros: reservation.micros,
    result: null,
  };
}

function chargeUnitsAgain(
  state: LedgerState,
  agent: AgentState,
  units: NonNullable<Reservation['units']>,
  atMs: number,
): ByUnit<UnitLease> {
  return mapUnits<UnitReservation, UnitLease>(units, ({ reserved, settling, limits }, unit) => {
    const charges = unitChargesOf(agent, unit, limits);
    for (const { counter } of charges) addToCounter(counter, atMs, reserved, state.clockMs);
    return { reserved, settling, charges };
  });
}

/** Opens the turn of a prompt, and counts a call in its turn. */
function turnsAgain(
  { replayMemoryMs }: LedgerState,
  { turns }: TenantState,
  decision: DecisionHead,
  { atMs, forgetAtMs }: { atMs: number; forgetAtMs: number },
): void {
  const { opensTurn, turn } = decision.reservation ?? {};
  if (opensTurn !== undefined) {
    const { agentId, actionId: id } = decision;
    openTurn(turns, { agentId, id, atMs, forgetAtMs }, opensTurn);
  }
  if (turn !== undefined) countAgain(turns, turn, replayMemoryMs);
}

function takeSlotsAgain(
  state: LedgerState,
  agent: AgentState,
  limits: Reservation['rates'],
  atMs: number,
): readonly SlidingRate[] {
  const rates = new Set(limits.map((limit) => openRate(agent.tenant.counters, limit)));
  for (const rate of rates) takeSlot(rate, atMs, state.clockMs);
  return [...rates];
}

/** Moves the slots of the answered DEFER to this ALLOW. Works even if the fold has not read the answer yet. */
function takeSlotsAlong(state: LedgerState, agent: AgentState, decision: DecisionHead, atMs: number): void {
  const granted = consumeGrant(agent.tenant.grants, decision, decision.ledgerSequence);
  const deferral = granted ?? endWaiting(agent, decision, atMs);
  if (deferral === null) return;
  const { counters } = agent.tenant;
  const rates = decision.reservation?.rates.map((limit) => openRate(counters, limit)) ?? [];
  releaseSlots(deferral, rates, state.clockMs);
}

/**
 * Lets the DEFER wait for a person. If the fold has already read the granted retry, nothing waits, because the retry
 * has the slots.
 */
function deferAgain(
  state: LedgerState,
  entry: StoredDecision,
  { rates: limits }: NonNullable<DecisionHead['deferral']>,
  replaces: boolean,
): void {
  const { agent, actionId, digest, atMs, forgetAtMs, sequence } = entry;
  const known = decisionForAttempt(agent, entry);
  if (!replaces && known?.grantConsumed === true && known.digest === digest) return;
  const rates = takeSlotsAgain(state, agent, limits, atMs);
  const deferral = { actionId, digest, atMs, forgetAtMs, rates };
  const request = { agentId: agent.id, actionId, digest };
  if (attachDeferral(agent.tenant.grants, request, deferral, sequence)) return;
  if (replaces) beginWaiting(agent, deferral, atMs);
}
