/**
 * What step.lua leaves out of a plain answer: the request was allowed, with room under every limit, so what each limit held is
 * what its counter held when the call began and what the plain answers before it have taken since. Nothing else moves a
 * counter in between: with whatever does, plain answers end.
 */
import type { LimitFact, StepFacts, StepRequest } from '@mandate/schemas';
import type { Micros } from './words.ts';

/** Counters by their place, as terms.ts gives it. `total`: of the agent; `limits`: kind, counter, most, kind, … */
export type Shape = readonly [total: number, charged: readonly number[], limits: readonly number[]];

/** What the requests of a call were made of, by the number of an operation, which counts from 1. */
export type Ground = {
  planAt(operation: number): StepRequest['plan'];
  shapeAt(operation: number): Shape;
  /** How many lifetime and windowed counters are named before the rates. */
  named: readonly [lifetimes: number, windows: number];
};

/** @param held of every counter, when the call began. The requests are told in the order in which they were answered. */
export function plainAnswers(held: readonly Micros[], { planAt, shapeAt, named }: Ground) {
  const sums = held.map(Number);
  const [lifetimes, windows] = named;
  const budgetAt = (place: number) => (place > 0 ? place - 1 : lifetimes - place - 1);
  const rateAt = (place: number) => lifetimes + windows + place - 1;
  const taken = new Map<Shape, { budgets: number[]; rates: number[]; total: number; limits: number[] }>();

  function placesOf(shape: Shape, plan: StepRequest['plan']) {
    const known = taken.get(shape);
    if (known !== undefined) return known;
    const [total, charged, limits] = shape;
    const at = plan.limits.map(({ kind }, limit) => {
      const place = limits[3 * limit + 1] ?? 0;
      return kind === 'rate' ? rateAt(place) : budgetAt(place);
    });
    const rates = at.filter((_, limit) => plan.limits[limit]?.kind === 'rate');
    // One slot of each rate, however often a plan lists it.
    const places = {
      budgets: charged.map(budgetAt),
      rates: [...new Set(rates)],
      total: budgetAt(total),
      limits: at,
    };
    taken.set(shape, places);
    return places;
  }

  return (operation: number, sequence: number, epoch: string, atMs: number): StepFacts => {
    const plan = planAt(operation);
    const { reserveMicros } = plan;
    const places = placesOf(shapeAt(operation), plan);
    const limits: LimitFact[] = [];
    for (let at = 0; at < places.limits.length; at += 1) {
      const sum = sums[places.limits[at] ?? 0] ?? 0;
      limits.push(
        plan.limits[at]?.kind === 'rate'
          ? { kind: 'rate', calls: sum, ok: true, retryAfterMs: null }
          : { kind: 'budget', spentMicros: sum, ok: true, retryAfterMs: null },
      );
    }
    for (const at of places.budgets) sums[at] = (sums[at] ?? 0) + reserveMicros;
    for (const at of places.rates) sums[at] = (sums[at] ?? 0) + 1;
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
      cumulativeMicros: sums[places.total] ?? 0,
      leaseExpiresAtMs: atMs + plan.leaseMs,
    };
  };
}
