/** The combined results of all static checks of an action. */
import type { Check, Obligations, Plan, Refusal } from '@mandate/schemas';
import { deepEqual } from '@mandate/schemas/core';
import type { CheckFn, Subject } from './check.ts';

export type CheckResults = Pick<Plan, 'checks' | 'refusal'> & { obligations: Obligations | null };

/**
 * Runs all checks. The first check that blocks determines the refusal. Throws if two checks impose different
 * obligations with the same name.
 */
export function runChecks(checkFns: readonly CheckFn[], subject: Subject): CheckResults {
  const checks = new Array<Check>(checkFns.length);
  let refusal: Refusal | null = null;
  let obligations: Obligations | null = null;
  for (let at = 0; at < checkFns.length; at += 1) {
    const found = (checkFns[at] as CheckFn)(subject);
    if (found.result === 'pass') checks[at] = found;
    else {
      checks[at] = found.check;
      if (found.result === 'oblige') obligations = merged(obligations, found.obligations);
      else refusal ??= { ...found.violation, final: true };
    }
  }
  return { checks, refusal, obligations };
}

/** Merges obligations. Throws if two obligations with the same name differ, because a program cannot fulfil both. */
function merged(one: Obligations | null, other: Obligations): Obligations {
  if (one === null) return other;
  for (const [name, duty] of Object.entries(other)) {
    if (Object.hasOwn(one, name) && !deepEqual(one[name], duty))
      throw new Error(`policies oblige to different "${name}"`);
  }
  return { ...one, ...other };
}
