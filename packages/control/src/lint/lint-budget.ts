/**
 * The step budget of lint: how much is examined, in steps of some hundred nanoseconds. If the budget is used up, the
 * answer names what was not examined.
 */
import type { StepBudget } from '@mandate/policy/parts';
import type { LintFinding } from './finding.ts';

/** The steps for all findings about a tenant's documents: a second or two. */
export const STEPS_OF_ALL = 20_000_000;
/** The steps for the answer to one change. */
export const STEPS_OF_ONE = 2_000_000;

/** Findings of this code may be missing, because about this many documents were not examined. */
export type Skipped = {
  code: LintFinding['code'];
  of: 'agents' | 'parents' | 'rules' | 'policies' | 'patterns';
  count: number;
};

export type LintBudget = StepBudget & { readonly skipped: Skipped[] };

export function lintBudgetOf(steps: number): LintBudget {
  return { left: steps, skipped: [] };
}

/** Records that one more of these was not examined. */
export function skip({ skipped }: LintBudget, code: Skipped['code'], of: Skipped['of']): void {
  const known = skipped.find((one) => one.code === code && one.of === of);
  if (known === undefined) skipped.push({ code, of, count: 1 });
  else known.count += 1;
}
