/**
 * The step budget of lint limits how much is examined. A step takes some hundred nanoseconds. If the budget is used
 * up, the answer names what was not examined.
 */
import type { StepBudget } from '@mandate/policy/parts';
import type { LintFinding } from './finding.ts';

/** The step budget for all findings about a tenant's documents. It takes a second or two. */
export const STEPS_OF_ALL = 20_000_000;
/** The step budget for the findings about one change. */
export const STEPS_OF_ONE = 2_000_000;

/** `code`: some findings with this code may be missing. `count`: about how many documents were not examined. */
export type Skipped = {
  code: LintFinding['code'];
  of: 'agents' | 'parents' | 'rules' | 'policies' | 'patterns';
  count: number;
};

export type LintBudget = StepBudget & { readonly skipped: Skipped[] };

export function lintBudgetOf(steps: number): LintBudget {
  return { left: steps, skipped: [] };
}

/** Counts one more document that was not examined. */
export function skip({ skipped }: LintBudget, code: Skipped['code'], of: Skipped['of']): void {
  const known = skipped.find((one) => one.code === code && one.of === of);
  if (known === undefined) skipped.push({ code, of, count: 1 });
  else known.count += 1;
}
