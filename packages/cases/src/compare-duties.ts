/** Compares what a decision obliges to, notes and marks with what the case expects. */
import type { Decision, Expectation, Json } from '@mandate/schemas';
import type { Difference } from './difference.ts';

type Duties = Pick<Expectation, 'obligations' | 'notes' | 'violations' | 'events'>;

export function dutyDifferences(expected: Duties, decision: Decision): Difference[] {
  const { obligations = {}, notes = [], violations = [], events = [] } = decision;
  return [
    ...Object.entries(expected.obligations ?? {}).flatMap(([name, duty]) => {
      const seen = Object.hasOwn(obligations, name) ? (obligations[name] ?? null) : null;
      return agrees(duty as Json, seen) ? [] : [differs(`obligation ${name}`, duty, seen)];
    }),
    ...listDifference('notes', expected.notes, notes),
    ...listDifference('violations', expected.violations, violations),
    ...listDifference('events', expected.events, events),
  ];
}

/** Compares lists without an order. */
function listDifference(
  what: string,
  expected: readonly unknown[] | undefined,
  seen: readonly unknown[],
): Difference[] {
  if (expected === undefined) return [];
  const left = [...(seen as Json[])];
  const isFound = (one: unknown) => {
    const at = left.findIndex((other) => agrees(one as Json, other));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  };
  return expected.every(isFound) && left.length === 0 ? [] : [differs(what, expected, seen)];
}

/** True if each stated field of an object agrees. Lists must agree as a whole, item by item. */
function agrees(expected: Json, seen: Json): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(seen) &&
      seen.length === expected.length &&
      expected.every((one, at) => agrees(one, seen[at] ?? null))
    );
  if (typeof expected !== 'object' || expected === null) return expected === seen;
  if (typeof seen !== 'object' || seen === null || Array.isArray(seen)) return false;
  return Object.entries(expected).every(
    ([name, one]) => Object.hasOwn(seen, name) && agrees(one, seen[name] ?? null),
  );
}

function differs(what: string, expected: unknown, seen: unknown): Difference {
  return { what, expected: JSON.stringify(expected), seen: JSON.stringify(seen) };
}
