/**
 * Counters of one tenant: lifetime sums, windowed sums and rates. They are found by scope and subject, then by id and
 * window. A counter is never removed, because charges refer to it.
 */
import type { BudgetLimit } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';
import {
  type BudgetCounter,
  callsIn,
  createBudgetCounter,
  createSlidingRate,
  type RateReference,
  type SlidingRate,
  type SlidingSum,
  slidingSum,
} from '@mandate/step';
import type { BudgetReference } from '../port.ts';

export type Counter = BudgetCounter & {
  readonly scope: BudgetLimit['scope'];
  readonly subject: string;
  readonly id: string;
  readonly windowMs: number | null;
  readonly unit?: CounterUnit;
};

export type Counters = {
  readonly budgets: Readonly<Record<BudgetLimit['scope'], Map<string, Counter[]>>>;
  /** Rates by agent, or by agent and tool. See `ratesKey`. */
  readonly rates: Map<string, SlidingRate[]>;
  /** All sliding counters, in the order in which their expired entries are cleared. */
  readonly sliding: (SlidingSum | SlidingRate)[];
  nextSwept: number;
};

export function createCounters(): Counters {
  return {
    budgets: { agent: new Map(), principal: new Map(), mandate: new Map(), tenant: new Map() },
    rates: new Map(),
    sliding: [],
    nextSwept: 0,
  };
}

export function findCounter(counters: Counters, budget: BudgetReference): Counter | undefined {
  const ofSubject = counters.budgets[budget.scope].get(budget.subject);
  if (ofSubject === undefined) return undefined;
  for (const counter of ofSubject) {
    if (counter.windowMs === budget.windowMs && counter.id === budget.id && counter.unit === budget.unit)
      return counter;
  }
  return undefined;
}

export function openCounter(counters: Counters, budget: BudgetReference): Counter {
  const known = findCounter(counters, budget);
  if (known !== undefined) return known;
  const counter: Counter = { ...referenceOf(budget), ...createBudgetCounter(budget.windowMs) };
  if (counter.sliding !== null) counters.sliding.push(counter.sliding);
  const { scope, subject } = counter;
  const ofSubject = counters.budgets[scope].get(subject);
  if (ofSubject === undefined) counters.budgets[scope].set(subject, [counter]);
  else ofSubject.push(counter);
  return counter;
}

/** Returns only the fields that identify a counter. */
export function referenceOf({ scope, subject, id, windowMs, unit }: BudgetReference): BudgetReference {
  return unit === undefined ? { scope, subject, id, windowMs } : { scope, subject, id, windowMs, unit };
}

export function* allCounters(counters: Counters): Generator<Counter> {
  for (const bySubject of Object.values(counters.budgets)) {
    for (const ofSubject of bySubject.values()) yield* ofSubject;
  }
}

export function findRate(counters: Counters, limit: RateReference): SlidingRate | undefined {
  const ofKey = counters.rates.get(ratesKey(limit));
  return ofKey?.find((rate) => rate.windowMs === limit.windowMs);
}

export function openRate(counters: Counters, limit: RateReference): SlidingRate {
  const known = findRate(counters, limit);
  if (known !== undefined) return known;
  const rate = createSlidingRate(limit);
  const ofKey = counters.rates.get(ratesKey(limit));
  if (ofKey === undefined) counters.rates.set(ratesKey(limit), [rate]);
  else ofKey.push(rate);
  counters.sliding.push(rate);
  return rate;
}

export function* allRates(counters: Counters): Generator<SlidingRate> {
  for (const ofKey of counters.rates.values()) yield* ofKey;
}

/** A space separates the two parts, because no id contains a space. */
function ratesKey({ agentId, tool }: RateReference): string {
  return tool === null ? agentId : `${agentId} ${tool}`;
}

/**
 * Removes the expired entries of the next window in turn. Each step calls this function, so that idle windows are
 * cleared too.
 */
export function sweepOne(counters: Counters, nowMs: number): void {
  const turn = counters.nextSwept < counters.sliding.length ? counters.nextSwept : 0;
  counters.nextSwept = turn + 1;
  const next = counters.sliding[turn];
  if (next === undefined) return;
  if ('times' in next) callsIn(next, nowMs);
  else slidingSum(next, nowMs);
}
