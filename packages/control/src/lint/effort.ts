/** How much is looked at, in steps of some hundred nanoseconds. What there is no more effort for is not told, but that it is not. */
import type { Effort } from '@mandate/policy/parts';
import type { LintFinding } from './finding.ts';

/** The steps for all findings about a tenant's documents: a second or two. */
export const EFFORT_OF_ALL = 20_000_000;
/** The steps for the answer to one change. */
export const EFFORT_OF_ONE = 2_000_000;

/** Findings of this code may be missing: about this many documents nothing is known. */
export type Skipped = {
  code: LintFinding['code'];
  of: 'agents' | 'parents' | 'rules' | 'policies' | 'patterns';
  count: number;
};

export type LintEffort = Effort & { readonly skipped: Skipped[] };

export function effortOf(steps: number): LintEffort {
  return { left: steps, skipped: [] };
}

/** One of these was not looked at. */
export function skip({ skipped }: LintEffort, code: Skipped['code'], of: Skipped['of']): void {
  const known = skipped.find((one) => one.code === code && one.of === of);
  if (known === undefined) skipped.push({ code, of, count: 1 });
  else known.count += 1;
}
