/**
 * The fast path allows a new request without checking its limits one by one, if every limit has room.
 * parts/fast-path.lua is the half in Redis. Its answer is only the number of the operation. This half computes the
 * facts: a limit's sum is the sum of its counter when the call began, plus the earlier answers on the path. No other
 * operation changes a counter in between, because every such operation closes the path.
 *
 * Reason: most requests take this path, and checking each limit in Lua is a large part of a step.
 * Figure: Redis needs 14.3 µs of CPU for an action with the path, and 17.1 µs without it (step and confirmation,
 * batches of 500 of a partition, five limits each). The client needs 18.8 µs instead of 20.0 µs. Means of nine runs
 * each, in turns.
 * To remove it: delete both files and their uses in step.lua, answers.ts and encode-call.ts (ADR 17).
 */
import type { LimitFact, StepFacts, StepRequest } from '@mandate/schemas';
import type { Micros } from './field-encoding.ts';

/**
 * The counters of a request, by their numbers in counter-table.ts. `total`: the agent's total. `limits`: kind,
 * counter, maximum, kind, …
 */
export type CounterRefs = readonly [total: number, charged: readonly number[], limits: readonly number[]];

/** The plans and counters of the operations of a call. Operations are numbered from 1. */
export type CallContext = {
  planOf(operation: number): StepRequest['plan'];
  counterRefsOf(operation: number): CounterRefs;
  /**
   * The number of lifetime counters and of windowed counters. `held` contains these counters first, and then the
   * rates.
   */
  named: readonly [lifetimes: number, windows: number];
};

/**
 * Returns a function that returns the facts of an operation. Call it in the order in which the operations were
 * answered.
 *
 * @param held the sum of each counter when the call began
 */
export function fastPathFacts(held: readonly Micros[], { planOf, counterRefsOf, named }: CallContext) {
  const sums = held.map(Number);
  const [lifetimes, windows] = named;
  const budgetIndex = (counter: number) => (counter > 0 ? counter - 1 : lifetimes - counter - 1);
  const rateIndex = (counter: number) => lifetimes + windows + counter - 1;
  const known = new Map<CounterRefs, Indices>();

  function indicesOf(refs: CounterRefs, plan: StepRequest['plan']): Indices {
    const made = known.get(refs);
    if (made !== undefined) return made;
    const [total, charged, limits] = refs;
    const ofLimits = plan.limits.map(({ kind }, at) => {
      const counter = limits[3 * at + 1] ?? 0;
      return kind === 'rate' ? rateIndex(counter) : budgetIndex(counter);
    });
    const rates = ofLimits.filter((_, at) => plan.limits[at]?.kind === 'rate');
    const indices = {
      budgets: charged.map(budgetIndex),
      // Each rate is counted once, even if the plan lists it twice.
      rates: [...new Set(rates)],
      total: budgetIndex(total),
      limits: ofLimits,
    };
    known.set(refs, indices);
    return indices;
  }

  return (operation: number, sequence: number, epoch: string, atMs: number): StepFacts => {
    const plan = planOf(operation);
    const { reserveMicros } = plan;
    const indices = indicesOf(counterRefsOf(operation), plan);
    const limits: LimitFact[] = [];
    for (let at = 0; at < indices.limits.length; at += 1) {
      const sum = sums[indices.limits[at] ?? 0] ?? 0;
      limits.push(
        plan.limits[at]?.kind === 'rate'
          ? { kind: 'rate', calls: sum, ok: true, retryAfterMs: null }
          : { kind: 'budget', spentMicros: sum, ok: true, retryAfterMs: null },
      );
    }
    for (const at of indices.budgets) sums[at] = (sums[at] ?? 0) + reserveMicros;
    for (const at of indices.rates) sums[at] = (sums[at] ?? 0) + 1;
    return {
      epoch,
      sequence,
      atMs,
      first: null,
      unremembered: false,
      late: false,
      kill: null,
      limits,
      chargedMicros: reserveMicros,
      cumulativeMicros: sums[indices.total] ?? 0,
      leaseExpiresAtMs: atMs + plan.leaseMs,
    };
  };
}

/** The indices of counters in `held`. */
type Indices = { budgets: number[]; rates: number[]; total: number; limits: number[] };
