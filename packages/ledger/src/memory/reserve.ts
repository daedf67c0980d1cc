/**
 * The effects of an ALLOW: it charges its reservation to every counter, takes a slot of every rate, and uses up its
 * grant.
 */
import type { StepRequest } from '@mandate/schemas';
import {
  addToCounter,
  type BudgetReference,
  chargedCounters,
  fittingIn,
  type SlidingRate,
  spentIn,
  takeSlot,
  totalOf,
} from '@mandate/step';
import { openAgent } from './agents.ts';
import { findCounter, findRate, openCounter, openRate } from './counters.ts';
import type { AgentState, Charge, Lease, TenantState } from './remembered.ts';

export function lifetimeSpend(tenant: TenantState, agentId: string, nowMs: number): number {
  const total = findCounter(tenant.counters, totalOf(agentId));
  return total === undefined ? 0 : spentIn(total, nowMs);
}

export function reserve(tenant: TenantState, request: StepRequest, nowMs: number): Lease {
  const { plan } = request;
  const budgets = plan.limits.filter((limit) => limit.kind === 'budget');
  const charges = chargesOf(openAgent(tenant, request.agentId), budgets);
  const reservedMicros = cutToExact(charges, nowMs, plan.reserveMicros, nowMs);
  for (const { counter } of charges) addToCounter(counter, nowMs, reservedMicros, nowMs);
  return {
    reservedMicros,
    charging: plan.charging,
    settling: plan.settling,
    charges,
    expiresAtMs: nowMs + plan.leaseMs,
    chargedMicros: reservedMicros,
    result: null,
  };
}

/**
 * Returns the amount, cut so that all sums at `atMs` stay exact (±(2^53-1) micro-dollars). A cut is possible only for
 * a cost above its reservation, for a call in observe mode that no budget refuses, and for a release after a credit.
 */
export function cutToExact(
  charges: readonly Charge[],
  atMs: number,
  deltaMicros: number,
  nowMs: number,
): number {
  return charges.reduce((fits, { counter }) => fittingIn(counter, atMs, fits, nowMs), deltaMicros);
}

/** Takes one slot of each rate of the request and returns the rates. A rate that the plan lists twice counts once. */
export function takeSlots(tenant: TenantState, request: StepRequest, nowMs: number): readonly SlidingRate[] {
  const taken: SlidingRate[] = [];
  for (const limit of request.plan.limits) {
    if (limit.kind !== 'rate') continue;
    const rate = openRate(tenant.counters, limit);
    if (taken.includes(rate)) continue;
    taken.push(rate);
    takeSlot(rate, nowMs, nowMs);
  }
  return taken;
}

/** Returns the rates of the request for which a counter exists. */
export function ratesOf(tenant: TenantState, { plan }: StepRequest): readonly SlidingRate[] {
  return plan.limits.flatMap((limit) =>
    limit.kind === 'rate' ? (findRate(tenant.counters, limit) ?? []) : [],
  );
}

/** Returns the counters that these budgets charge. Decisions of the same agent share an equal list. */
export function chargesOf(
  agent: AgentState,
  budgets: readonly (BudgetReference & { maxMicros: number | null })[],
): readonly Charge[] {
  const { counters } = agent.tenant;
  const charged = chargedCounters(agent.id, budgets, (budget) => openCounter(counters, budget));
  return shareCharges(
    agent,
    charged.map(({ counter, maxMicros }) => ({ counter, maxMicros })),
  );
}

/** Returns the agent's latest list if it is equal. So a million decisions share a few lists. */
export function shareCharges(agent: AgentState, charges: readonly Charge[]): readonly Charge[] {
  if (!sameCharges(charges, agent.charges)) agent.charges = charges;
  return agent.charges;
}

function sameCharges(a: readonly Charge[], b: readonly Charge[]): boolean {
  return (
    a.length === b.length &&
    a.every((charge, at) => charge.counter === b[at]?.counter && charge.maxMicros === b[at]?.maxMicros)
  );
}
