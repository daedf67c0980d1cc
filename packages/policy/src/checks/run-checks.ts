/** The combined results of all static and joint checks of an action. */
import type { Check, Duties, OriginViolation, Plan, Refusal } from '@mandate/schemas';
import { deepEqual } from '@mandate/schemas/core';
import type { CheckFn, Finding, Subject } from './check.ts';

export type CheckResults = Pick<Plan, 'checks' | 'refusal' | 'dutiesOfIntent'> & {
  duties: Duties | null;
  violations: readonly OriginViolation[] | null;
  opensTurn: string | null;
};

/** A joint check, prepared for calls of one kind. */
export type JointFn = { check: string; run: CheckFn };

/**
 * Runs all checks. The first check that blocks determines the refusal, and the joint checks are skipped. Throws if two
 * checks impose different obligations with the same name.
 */
export function runChecks(
  checkFns: readonly CheckFn[],
  subject: Subject,
  jointFns: readonly JointFn[] = [],
): CheckResults {
  const checks = new Array<Check>(checkFns.length + jointFns.length);
  const results: CheckResults = { checks, refusal: null, duties: null, violations: null, opensTurn: null };
  for (let at = 0; at < checkFns.length; at += 1)
    checks[at] = take(results, (checkFns[at] as CheckFn)(subject));
  for (let at = 0; at < jointFns.length; at += 1) {
    const { check, run } = jointFns[at] as JointFn;
    checks[checkFns.length + at] =
      results.refusal === null ? take(results, run(subject)) : { check, result: 'skip' };
  }
  return results;
}

/** Adds a finding to the results, and returns its check for the record. */
function take(results: CheckResults, found: Finding): Check {
  if (found.result === 'pass') return found;
  if (found.result === 'block') {
    if (results.refusal === null) {
      const refusal: Refusal = { ...found.violation, final: true };
      results.refusal = refusal;
      results.violations = found.violations ?? null;
    }
    return found.check;
  }
  results.duties = merged(results.duties, found.duties);
  if (found.dutiesOfIntent !== undefined) results.dutiesOfIntent = found.dutiesOfIntent;
  if (results.refusal === null && found.violations !== undefined) results.violations = found.violations;
  if (found.opensTurn !== undefined) results.opensTurn = found.opensTurn;
  return found.check;
}

/** Merges duties. Throws if two obligations with the same name differ, because a program cannot fulfil both. */
function merged(one: Duties | null, other: Duties): Duties {
  if (one === null) return other;
  for (const [name, duty] of Object.entries(other.obligations)) {
    if (Object.hasOwn(one.obligations, name) && !deepEqual(one.obligations[name], duty))
      throw new Error(`policies oblige to different "${name}"`);
  }
  return { ...one, ...other, obligations: { ...one.obligations, ...other.obligations } };
}
