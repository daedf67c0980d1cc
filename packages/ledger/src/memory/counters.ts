/**
 * Counters of one tenant: lifetime sums, windowed sums and rates. They are found by scope and subject, then by id and
 * window among the few that one subject has. None is ever removed: what is charged refers to it for good.
 */
import type { BudgetLimit } from '@mandate/schemas';
import {
  addToSlidingSum,
  amountAt,
  callsIn,
  createSlidingRate,
  createSlidingSum,
  leavesAtMs,
  type RateReference,
  type SlidingRate,
  type SlidingSum,
  slidingSum,
} from '@mandate/step';
import type { BudgetReference } from '../port.ts';

export type Counter = {
  readonly scope: BudgetLimit['scope'];
  readonly subject: string;
  readonly id: string;
  readonly windowMs: number | null;
  /** Of a lifetime counter. */
  spentMicros: number;
  /** Of a windowed one. */
  readonly sliding: SlidingSum | null;
};

export type Counters = {
  readonly budgets: Readonly<Record<BudgetLimit['scope'], Map<string, Counter[]>>>;
  /** By agent, or by agent and tool: see `ratesKey`. */
  readonly rates: Map<string, SlidingRate[]>;
  /** Everything that slides, and whose turn it is to be cleared of what has left its window. */
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
    if (counter.windowMs === budget.windowMs && counter.id === budget.id) return counter;
  }
  return undefined;
}

export function openCounter(counters: Counters, budget: BudgetReference): Counter {
  const known = findCounter(counters, budget);
  if (known !== undefined) return known;
  const { scope, subject, id, windowMs } = budget;
  const sliding = windowMs === null ? null : createSlidingSum(windowMs);
  if (sliding !== null) counters.sliding.push(sliding);
  const counter: Counter = { scope, subject, id, windowMs, spentMicros: 0, sliding };
  const ofSubject = counters.budgets[scope].get(subject);
  if (ofSubject === undefined) counters.budgets[scope].set(subject, [counter]);
  else ofSubject.push(counter);
  return counter;
}

export function spentIn(counter: Counter, nowMs: number): number {
  return counter.sliding === null ? counter.spentMicros : slidingSum(counter.sliding, nowMs);
}

/** Adds to what was spent at `atMs`. */
export function addToCounter(counter: Counter, atMs: number, deltaMicros: number, nowMs: number): void {
  if (counter.sliding === null) counter.spentMicros += deltaMicros;
  else addToSlidingSum(counter.sliding, atMs, deltaMicros, nowMs);
}

/**
 * As much of an amount for `atMs` as keeps the counter exact, within ±(2^53-1). A window holds a credit where it lies,
 * though its sum does not.
 */
export function fittingIn(counter: Counter, atMs: number, deltaMicros: number, nowMs: number): number {
  const { sliding } = counter;
  const spentMicros = spentIn(counter, nowMs);
  const fits = within(spentMicros, deltaMicros);
  return sliding === null ? fits : within(amountAt(sliding, atMs), fits);
}

function within(heldMicros: number, deltaMicros: number): number {
  const most = Number.MAX_SAFE_INTEGER - heldMicros;
  const least = -Number.MAX_SAFE_INTEGER - heldMicros;
  return Math.max(least, Math.min(most, deltaMicros));
}

/**
 * The part of an excess that still fits into half of the exact range of a counter, beside a delta for the same time. The
 * other half is kept for charges. So an extremely high report never reduces a charge to a budget that agents share.
 */
export function excessIn(
  counter: Counter,
  atMs: number,
  { deltaMicros, excessMicros }: { deltaMicros: number; excessMicros: number },
  nowMs: number,
): number {
  const { sliding } = counter;
  const heldMicros = Math.max(spentIn(counter, nowMs), sliding === null ? 0 : amountAt(sliding, atMs));
  return Math.max(0, Math.min(excessMicros, MOST_EXCESS - heldMicros - deltaMicros));
}

const MOST_EXCESS = Math.floor(Number.MAX_SAFE_INTEGER / 2);

/** Does a charge made at `atMs` still count? */
export function stillCounts(counter: Counter, atMs: number, nowMs: number): boolean {
  return counter.windowMs === null || leavesAtMs(counter.windowMs, atMs) > nowMs;
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

/** No id holds a blank. */
function ratesKey({ agentId, tool }: RateReference): string {
  return tool === null ? agentId : `${agentId} ${tool}`;
}

/** Clears one window of what has left it: called once a step, so that what is idle is cleared as well. */
export function sweepOne(counters: Counters, nowMs: number): void {
  const turn = counters.nextSwept < counters.sliding.length ? counters.nextSwept : 0;
  counters.nextSwept = turn + 1;
  const next = counters.sliding[turn];
  if (next === undefined) return;
  if ('times' in next) callsIn(next, nowMs);
  else slidingSum(next, nowMs);
}
