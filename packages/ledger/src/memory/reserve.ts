/**
 * The effects of an ALLOW: it charges its reservation to every counter, takes a slot of every rate, and uses up its
 * grant.
 */
import type { BudgetLimit, Plan, StepRequest, UnitLimit, UnitReserve } from '@mandate/schemas';
import { type ByUnit, type CounterUnit, mapUnits } from '@mandate/schemas/core';
import {
  addToCounter,
  type Chargeable,
  chargedCounters,
  fittingIn,
  isBudgetLimit,
  moneyToCharge,
  type SlidingRate,
  spentIn,
  takeSlot,
  totalOf,
  unitLimitsOf,
  unitToCharge,
} from '@mandate/step';
import { openAgent } from './agents.ts';
import { findCounter, findRate, openCounter, openRate } from './counters.ts';
import type { AgentState, Charge, Lease, TenantState, UnitLease } from './remembered.ts';

export function lifetimeSpend(tenant: TenantState, agentId: string, nowMs: number): number {
  const total = findCounter(tenant.counters, totalOf(agentId));
  return total === undefined ? 0 : spentIn(total, nowMs);
}

export function reserve(tenant: TenantState, request: StepRequest, nowMs: number): Lease {
  const { plan } = request;
  const agent = openAgent(tenant, request.agentId);
  const charges = chargesOf(agent, plan.limits.filter(isBudgetLimit));
  const reservedMicros = cutToExact(charges, nowMs, plan.reserveMicros, nowMs);
  for (const { counter } of charges) addToCounter(counter, nowMs, reservedMicros, nowMs);
  return {
    type: request.type,
    tool: request.tool,
    reservedMicros,
    charging: plan.charging,
    settling: plan.settling,
    charges,
    ...(plan.units !== undefined && { units: reserveUnits(agent, plan.units, plan.limits, nowMs) }),
    expiresAtMs: nowMs + plan.leaseMs,
    chargedMicros: reservedMicros,
    result: null,
  };
}

function reserveUnits(
  agent: AgentState,
  units: ByUnit<UnitReserve>,
  limits: Plan['limits'],
  nowMs: number,
): ByUnit<UnitLease> {
  return mapUnits(units, ({ reserve, settling }, unit) => {
    const charges = unitChargesOf(agent, unit, unitLimitsOf(limits, unit));
    const reserved = cutToExact(charges, nowMs, reserve, nowMs);
    for (const { counter } of charges) addToCounter(counter, nowMs, reserved, nowMs);
    return { reserved, settling, charges };
  });
}

/**
 * Returns the amount, cut so that all sums at `atMs` stay exact (within ±(2^53-1)). A cut is possible only for a cost
 * above its reservation, for a call in observe mode that no budget refuses, and for a release after a credit.
 */
export function cutToExact(charges: readonly Charge[], atMs: number, delta: number, nowMs: number): number {
  return charges.reduce((fits, { counter }) => fittingIn(counter, atMs, fits, nowMs), delta);
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
  budgets: readonly Omit<BudgetLimit, 'kind'>[],
): readonly Charge[] {
  return shareCharges(agent, charged(agent, moneyToCharge(agent.id, budgets)));
}

/** Returns the counters of a unit that these limits charge. Decisions of the same agent share an equal list. */
export function unitChargesOf(
  agent: AgentState,
  unit: CounterUnit,
  limits: readonly Omit<UnitLimit, 'otherLimits'>[],
): readonly Charge[] {
  return shareUnitCharges(agent, unit, charged(agent, unitToCharge(limits)));
}

function charged({ tenant: { counters } }: AgentState, chargeable: readonly Chargeable[]): Charge[] {
  return chargedCounters(chargeable, (budget) => openCounter(counters, budget)).map(({ counter, most }) => ({
    counter,
    most,
  }));
}

/** Returns the agent's latest list if it is equal. So a million decisions share a few lists. */
export function shareCharges(agent: AgentState, charges: readonly Charge[]): readonly Charge[] {
  if (!sameCharges(charges, agent.charges)) agent.charges = charges;
  return agent.charges;
}

export function shareUnitCharges(
  agent: AgentState,
  unit: CounterUnit,
  charges: readonly Charge[],
): readonly Charge[] {
  const latest = agent.unitCharges[unit];
  if (latest !== undefined && sameCharges(charges, latest)) return latest;
  agent.unitCharges[unit] = charges;
  return charges;
}

function sameCharges(a: readonly Charge[], b: readonly Charge[]): boolean {
  return (
    a.length === b.length &&
    a.every((charge, at) => charge.counter === b[at]?.counter && charge.most === b[at]?.most)
  );
}
