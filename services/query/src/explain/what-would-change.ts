/**
 * Says what would have to change for another verdict, computed from the evidence of the checks. The function is pure,
 * and each number is exact: with one micro-dollar less, or one millisecond earlier, the same check blocks again
 * (test/laws/explain-change.test.ts).
 *
 * All `needs` must be met. Each need lists several ways to meet it, and one way is enough. `unasked` lists checks
 * that were skipped and may block the next time.
 */
import type { Check, Decision } from '@mandate/schemas';
import type { Change } from './change.ts';
import { checkInWords } from './check-in-words.ts';
import { parseEvidence } from './parse-evidence.ts';
import { nextAttempt, waysPast } from './ways-past.ts';
import { whatWouldHaveBlocked } from './what-would-have-blocked.ts';

/** If one of these checks blocks, the decider does not reach the checks of a mandate. */
const WITHOUT_MANDATE: ReadonlySet<string> = new Set(['tenant-open', 'mandate-found', 'within-steps']);

export function whatWouldChange(decision: Decision): Change {
  const { checks } = decision;
  const known = isUnpriced(checks) ? checks.filter(({ check }) => !OF_COST.has(check)) : checks;
  const needs = known.flatMap((check) =>
    check.result === 'block' || check.result === 'defer'
      ? [{ check: check.check, why: checkInWords(check, decision), anyOf: waysPast(check, decision) }]
      : [],
  );
  const near = known.flatMap((check) => {
    const words = check.result === 'pass' ? whatWouldHaveBlocked(parseEvidence(check), decision) : null;
    return words === null ? [] : [{ check: check.check, why: checkInWords(check, decision), words }];
  });
  const unasked = checks
    .filter((check) => check.result === 'skip' || !known.includes(check))
    .map(({ check }) => check);
  if (needs.some(({ check }) => WITHOUT_MANDATE.has(check))) unasked.push('every check of a mandate');
  // No check caused this verdict, because the decider itself failed.
  if (needs.length === 0 && decision.code === 'INTERNAL_ERROR') {
    needs.push({ check: 'internal', why: decision.reason, anyOf: [nextAttempt(decision)] });
  }
  return { needs, near, unasked: [...new Set(unasked)], askAgainAs: askAgainAs(decision) };
}

const OF_COST: ReadonlySet<string> = new Set(['tool-cost-per-call', 'mandate-cost-per-call']);

/** True if the cost was unknown. The checks of the cost then had no true cost to compare. */
function isUnpriced(checks: readonly Check[]): boolean {
  return checks.some(({ check, result }) => check === 'model-priced' && result === 'block');
}

function askAgainAs({ verdict, final }: Decision): Change['askAgainAs'] {
  if (verdict === 'ALLOW') return null;
  if (verdict === 'DEFER') return 'the-same-request';
  return final ? 'new-id' : 'next-attempt';
}
