/** What an ALLOW takes: its reservation from every counter, a slot of every rate, the grant that it needed. */
import { DEFAULTS, OPEN_CALLS, RELEASED_BUDGET, type StepRequest, TOTAL_BUDGET } from '@mandate/schemas';
import {
  addToCounter,
  fittingIn,
  type RateReference,
  type SlidingRate,
  spentIn,
  takeSlot,
} from '@mandate/step';
import type { BudgetReference } from '../port.ts';
import { openAgent } from './agents.ts';
import { type Counter, findCounter, findRate, openCounter, openRate } from './counters.ts';
import type { AgentState, Charge, Lease, TenantState } from './remembered.ts';

/** The lifetime spend of an agent: counted whether a plan lists it or not. */
export function totalOf(agentId: string): BudgetReference {
  return { scope: 'agent', subject: agentId, id: TOTAL_BUDGET, windowMs: null };
}

/** What the agent's own reports gave back, less what its successes made room for. */
export function releasedOf(agentId: string): BudgetReference {
  return { scope: 'agent', subject: agentId, id: RELEASED_BUDGET, windowMs: null };
}

/** The calls of the agent that no outcome has settled. */
export function openCallsOf(agentId: string): RateReference {
  return { agentId, tool: OPEN_CALLS, windowMs: DEFAULTS.openWindowMs };
}

export function lifetimeSpend(tenant: TenantState, agentId: string, nowMs: number): number {
  const total = findCounter(tenant.counters, totalOf(agentId));
  return total === undefined ? 0 : spentIn(total, nowMs);
}

export function reserve(tenant: TenantState, request: StepRequest, nowMs: number): Lease {
  const { plan } = request;
  const budgets = plan.limits.filter((limit) => limit.kind === 'budget');
  const charges = chargesOf(openAgent(tenant, request.agentId), budgets);
  const reservedMicros = fitting(charges, nowMs, plan.reserveMicros, nowMs);
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
 * An amount for `atMs` that a counter could not hold exactly (±(2^53-1) micro-dollars) is cut to what fits in all of
 * them, so that sums stay exact: of a cost that came in beyond its reservation, of a call that no budget refuses because
 * its mandate only watches, of what is released behind a credit.
 */
export function fitting(
  charges: readonly Charge[],
  atMs: number,
  deltaMicros: number,
  nowMs: number,
): number {
  return charges.reduce((fits, { counter }) => fittingIn(counter, atMs, fits, nowMs), deltaMicros);
}

/** Takes one slot of each rate, however often a plan lists it. Answers the rates. */
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

/** The rates of the request that have a counter. */
export function ratesOf(tenant: TenantState, { plan }: StepRequest): readonly SlidingRate[] {
  return plan.limits.flatMap((limit) =>
    limit.kind === 'rate' ? (findRate(tenant.counters, limit) ?? []) : [],
  );
}

/** Each counter once, under the tightest limit that it is charged for, with the agent's total among them. */
export function chargesOf(
  agent: AgentState,
  budgets: readonly (BudgetReference & { maxMicros: number | null })[],
): readonly Charge[] {
  const charges: { counter: Counter; maxMicros: number | null }[] = [];
  for (const budget of [...budgets, { ...totalOf(agent.id), maxMicros: null }]) {
    const counter = openCounter(agent.tenant.counters, budget);
    const charge = charges.find((known) => known.counter === counter);
    if (charge === undefined) charges.push({ counter, maxMicros: budget.maxMicros });
    else charge.maxMicros = tighter(charge.maxMicros, budget.maxMicros);
  }
  return shareCharges(agent, charges);
}

/** The same list again where the agent's latest is equal: a million entries share a few. */
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

function tighter(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
