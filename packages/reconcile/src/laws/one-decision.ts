/**
 * Checks the law of one decision. Each attempt of an action has one first decision. Another first decision may follow
 * only after a DEFER that a person answered, or after the first decision is forgotten.
 */
import type { Findings } from './law.ts';
import { type Decided, namesOf, type Step } from './step.ts';
import type { StoredDecision } from './stored-decisions.ts';

export function oneDecision(
  findings: Findings,
  { at }: Pick<Step, 'at'>,
  decision: Decided,
  known: StoredDecision | undefined,
): void {
  if (known === undefined || known.verdict === 'DEFER' || known.forgetAtMs <= decision.atMs) return;
  findings.broken(() => ({
    at,
    ids: namesOf(decision),
    what: `this attempt has a first decision already, ${known.verdict} at ${known.at}`,
  }));
}
