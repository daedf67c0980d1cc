/** The sums of counters, computed from all charges, outcomes and adjustments. */
import {
  BUDGET_BUCKETS,
  type CounterUnit,
  OPEN_CALLS,
  type RateLimit,
  type SettleFacts,
  type StepRequest,
  type UnitLimit,
  unitsIn,
} from '@mandate/schemas';
import type { Balance, BudgetReference } from '../../port.ts';
import { takenAlong } from './deferrals.ts';
import { type DecideEvent, eventsOf, type History } from './history.ts';
import { enforcedVerdict } from './verdict.ts';

/** `amount`: in the unit of the counter. */
type Movement = { tenant: string; atMs: number; budget: BudgetReference; amount: number };

/** Returns the cost of an action so far: its reservation, changed by its outcome. */
export function costOf(history: History, allow: DecideEvent): number {
  return allow.facts.chargedMicros + (outcomeOf(history, allow)?.deltaMicros ?? 0);
}

function outcomeOf(history: History, allow: DecideEvent): SettleFacts | undefined {
  return eventsOf(history, 'settle').find((event) => event.of === allow)?.facts;
}

/** True if the counter belongs to one agent alone. */
export function isOwn({ scope, subject }: BudgetReference, agentId: string): boolean {
  return scope === 'agent' && subject === agentId;
}

export function releasedBudget(agentId: string, unit?: CounterUnit): BudgetReference {
  const budget = { scope: 'agent', subject: agentId, id: 'released', windowMs: null } as const;
  return unit === undefined ? budget : { ...budget, unit };
}

/** Returns every counter that an ALLOW of this request charges, each counter once. */
export function chargedBudgets({ plan, agentId }: StepRequest): BudgetReference[] {
  const total: BudgetReference = { scope: 'agent', subject: agentId, id: 'total', windowMs: null };
  const listed = [...plan.limits.filter((limit) => limit.kind === 'budget'), total];
  const byName = new Map(listed.map((budget) => [nameOf(budget), reference(budget)]));
  return [...byName.values()];
}

export function unitCounter({ kind: unit, scope, subject, id, windowMs }: UnitLimit): BudgetReference {
  return { scope, subject, id, windowMs, unit };
}

/** Returns every counter of a unit that an ALLOW of this request charges, each counter once. */
export function chargedUnitCounters({ plan }: StepRequest, unit: CounterUnit): BudgetReference[] {
  if (plan.units?.[unit] === undefined) return [];
  const listed = plan.limits.flatMap((limit) => (limit.kind === unit ? [unitCounter(limit)] : []));
  return [...new Map(listed.map((budget) => [nameOf(budget), budget])).values()];
}

export function counts(history: History, budget: BudgetReference, atMs: number): boolean {
  if (budget.windowMs === null) return true;
  const stepMs = Math.max(1, Math.ceil(budget.windowMs / BUDGET_BUCKETS));
  const lastOfItsStepMs = atMs - (atMs % stepMs) + stepMs - 1;
  return history.nowMs - lastOfItsStepMs < budget.windowMs;
}

export function spent(history: History, tenant: string, budget: BudgetReference): number {
  const moved = movementsOf(history, tenant, budget);
  const { windowMs } = budget;
  if (windowMs === null) return total(moved);
  // The sum never becomes negative here. A credit above the earlier spending does not raise the limit.
  const steps = [...new Set(moved.map(({ atMs }) => stepOf(windowMs, atMs)))].sort((a, b) => a - b);
  return steps.reduce((owed, step) => {
    const then = owed + total(moved.filter(({ atMs }) => stepOf(windowMs, atMs) === step));
    return then < 0 ? 0 : then;
  }, 0);
}

/**
 * Cuts an amount so that two sums stay within ±(2^53-1): the sum of the counter, and the sum of its bucket at `atMs`.
 */
export function cutToFit(
  history: History,
  tenant: string,
  budgets: BudgetReference[],
  atMs: number,
  micros: number,
): number {
  const figures = budgets.flatMap((budget) => figuresOf(history, tenant, budget, atMs));
  return micros < 0
    ? Math.max(micros, ...figures.map((figure) => -Number.MAX_SAFE_INTEGER - figure))
    : Math.min(micros, ...figures.map((figure) => Number.MAX_SAFE_INTEGER - figure));
}

/** Cuts an excess so that the agent's own counters, including the delta, stay below half of the exact range. */
export function cutExcess(
  history: History,
  tenant: string,
  own: BudgetReference[],
  atMs: number,
  { delta, micros }: { delta: number; micros: number },
): number {
  const half = Math.floor(Number.MAX_SAFE_INTEGER / 2) - delta;
  const rooms = own.flatMap((budget) => figuresOf(history, tenant, budget, atMs)).map((held) => half - held);
  return Math.max(0, Math.min(micros, ...rooms));
}

/** Returns the sum of a counter, and the sum of its bucket at `atMs`. */
function figuresOf(history: History, tenant: string, budget: BudgetReference, atMs: number): number[] {
  const ofStep = movementsOf(history, tenant, budget).filter((moved) => isOfStep(budget, moved.atMs, atMs));
  return [spent(history, tenant, budget), total(ofStep)];
}

function isOfStep({ windowMs }: BudgetReference, atMs: number, otherMs: number): boolean {
  return windowMs === null || stepOf(windowMs, atMs) === stepOf(windowMs, otherMs);
}

/** True if the sums stay exact with the whole amount. */
export function staysExact(
  history: History,
  tenant: string,
  budget: BudgetReference,
  micros: number,
): boolean {
  return cutToFit(history, tenant, [budget], history.nowMs, micros) === micros;
}

export function lifetimeSpend(history: History, tenant: string, agentId: string): number {
  return spent(history, tenant, { scope: 'agent', subject: agentId, id: 'total', windowMs: null });
}

export function balances(history: History, tenant: string): Balance[] {
  const budgets = new Map(
    movements(history)
      .filter((moved) => moved.tenant === tenant)
      .map((moved) => [nameOf(moved.budget), moved.budget]),
  );
  return [...budgets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, budget]) => ({ tenant, budget, spent: spent(history, tenant, budget) }))
    .filter((balance) => balance.spent !== 0);
}

/**
 * Returns the shortest wait in ms after which the call fits the limit. Tries each wait. Null if no wait up to the
 * window's length is enough.
 */
export function waitUntil(
  history: History,
  windowMs: number,
  passes: (then: History) => boolean,
): number | null {
  const turns = new Set<number>([1, 2 * windowMs]);
  const stepMs = Math.max(1, Math.ceil(windowMs / BUDGET_BUCKETS));
  for (const { atMs } of history.events) {
    for (const leavesAtMs of [atMs + windowMs, atMs - (atMs % stepMs) + stepMs - 1 + windowMs]) {
      turns.add(leavesAtMs - history.nowMs);
    }
  }
  const waits = [...turns].filter((waitMs) => waitMs > 0).sort((a, b) => a - b);
  return waits.find((waitMs) => passes({ ...history, nowMs: history.nowMs + waitMs })) ?? null;
}

/**
 * Returns the number of calls that occupy a slot of this rate: allowed calls, and deferred calls until their granted
 * retry takes the slot.
 *
 * @param own a DEFER with a slot that does not count
 */
export function calls(history: History, tenant: string, rate: RateLimit, own: DecideEvent | null): number {
  const holders = eventsOf(history, 'decide').filter(
    (event) => event.request.tenant === tenant && takesSlot(event) && lists(event, rate),
  );
  const left = new Set<DecideEvent | null>([own, ...holders.map((event) => takenAlong(history, event))]);
  if (rate.tool === OPEN_CALLS) for (const { of } of eventsOf(history, 'settle')) left.add(of);
  return holders.filter((event) => event.atMs > history.nowMs - rate.windowMs && !left.has(event)).length;
}

function takesSlot({ request, facts }: DecideEvent): boolean {
  return facts.first === null && enforcedVerdict(request.plan, facts).verdict !== 'BLOCK';
}

function lists({ request }: DecideEvent, rate: RateLimit): boolean {
  return request.plan.limits.some(
    (limit) =>
      limit.kind === 'rate' &&
      limit.agentId === rate.agentId &&
      limit.tool === rate.tool &&
      limit.windowMs === rate.windowMs,
  );
}

/** Returns a text for sorting balances. */
function nameOf(budget: BudgetReference): string {
  const windowMs = budget.windowMs === null ? '' : String(budget.windowMs).padStart(16, '0');
  return [budget.scope, budget.subject, budget.id, windowMs, budget.unit ?? ''].join('\0');
}

function reference({ scope, subject, id, windowMs, unit }: BudgetReference): BudgetReference {
  return { scope, subject, id, windowMs, ...(unit !== undefined && { unit }) };
}

/** Returns the exact sum. It uses BigInt, because a partial sum may exceed the exact numbers of JavaScript. */
function total(moved: readonly Movement[]): number {
  return Number(moved.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
}

function stepOf(windowMs: number, atMs: number): number {
  const stepMs = Math.max(1, Math.ceil(windowMs / BUDGET_BUCKETS));
  return (atMs - (atMs % stepMs)) / stepMs;
}

function movementsOf(history: History, tenant: string, budget: BudgetReference): Movement[] {
  return movements(history)
    .filter((moved) => moved.tenant === tenant && nameOf(moved.budget) === nameOf(budget))
    .filter((moved) => counts(history, budget, moved.atMs));
}

function movements(history: History): Movement[] {
  const adjusted = eventsOf(history, 'adjust').map(({ atMs, adjustment }) => ({
    tenant: adjustment.tenant,
    atMs,
    budget: adjustment.budget,
    amount: adjustment.delta,
  }));
  const charged = eventsOf(history, 'decide')
    .filter((event) => event.facts.leaseExpiresAtMs !== null)
    .flatMap((event) => {
      const { tenant, agentId } = event.request;
      const excessMicros = outcomeOf(history, event)?.excessMicros ?? 0;
      return chargedBudgets(event.request).map((budget) => ({
        tenant,
        atMs: event.atMs,
        budget,
        amount: costOf(history, event) + (isOwn(budget, agentId) ? excessMicros : 0),
      }));
    });
  const released = eventsOf(history, 'settle').map(({ atMs, request, facts }) => ({
    tenant: request.tenant,
    atMs,
    budget: releasedBudget(request.agentId),
    amount: facts.releasedMicros,
  }));
  return [...adjusted, ...charged, ...released, ...unitMovements(history)];
}

function unitMovements(history: History): Movement[] {
  const charged = eventsOf(history, 'decide').flatMap((event) => {
    const { tenant, agentId } = event.request;
    return unitsIn(event.facts.chargedUnits).flatMap(([unit, reserved]) => {
      const { delta = 0, excess = 0 } = outcomeOf(history, event)?.units?.[unit] ?? {};
      return chargedUnitCounters(event.request, unit).map((budget) => {
        const amount = reserved + delta + (isOwn(budget, agentId) ? excess : 0);
        return { tenant, atMs: event.atMs, budget, amount };
      });
    });
  });
  const released = eventsOf(history, 'settle').flatMap(({ atMs, request, facts }) =>
    unitsIn(facts.units).map(([unit, settled]) => ({
      tenant: request.tenant,
      atMs,
      budget: releasedBudget(request.agentId, unit),
      amount: settled.released,
    })),
  );
  return [...charged, ...released];
}
