/** Compares a decision with the answer that a case expects, in the form of the cases. */
import type { Action, Decision } from '@mandate/schemas';

export type ExpectedDecision = Partial<{
  verdict: string;
  code: string;
  hard: boolean;
  retryAfterMs: number | null;
  obligations: object;
  notes: readonly object[];
  violations: readonly object[];
  events: readonly string[];
  says: readonly string[];
  textAfter: string;
}>;

type Compared = Pick<
  Decision,
  'verdict' | 'code' | 'final' | 'retryAfterMs' | 'reason' | 'remedy' | 'obligations' | 'notes'
> &
  Pick<Decision, 'violations' | 'events'> & { readonly action: Action };

/**
 * Returns what the decision has in each field that the case names. The result equals `expected` if the decision is as
 * expected. Lists without an order are sorted as expected. `says` keeps the texts that reason and remedy contain.
 */
export function inFormOf(expected: ExpectedDecision, decision: Compared): ExpectedDecision {
  const { verdict, code, final: hard, retryAfterMs, reason, remedy, obligations = {} } = decision;
  const told = `${reason} ${remedy}`;
  const all: Required<ExpectedDecision> = {
    ...{ verdict, code, hard, retryAfterMs, obligations },
    notes: inOrderOf(expected.notes, decision.notes),
    violations: inOrderOf(expected.violations, decision.violations),
    events: inOrderOf(expected.events, decision.events),
    says: (expected.says ?? []).filter((text) => told.includes(text)),
    textAfter: textAfter(decision),
  };
  const fields = Object.keys(expected) as (keyof ExpectedDecision)[];
  return Object.fromEntries(fields.map((field) => [field, all[field]]));
}

function inOrderOf<T>(expected: readonly T[] = [], given: readonly unknown[] = []): T[] {
  const place = (one: unknown) =>
    expected.findIndex((other) => JSON.stringify(other) === JSON.stringify(one));
  return [...(given as T[])].sort((one, other) => place(one) - place(other));
}

/** Returns the text of an output after its redactions were applied. Other actions have no such text. */
function textAfter({ action, obligations }: Compared): string {
  if (action.type !== 'output') return '';
  const characters = [...action.text];
  const redactions = (obligations?.redactions ?? []) as { type: string; start: number; end: number }[];
  for (const { type, start, end } of redactions.toReversed())
    characters.splice(start, end - start, `[redacted:${type}]`);
  return characters.join('');
}
