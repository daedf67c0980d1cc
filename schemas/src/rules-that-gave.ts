import type { GivenPolicy } from './given-policy.ts';

type Given = { grantedBy?: readonly GivenPolicy[] | undefined };

/**
 * Returns the rules that gave the policy. Empty for a policy of no rule, such as tenant limits, and for older
 * records.
 */
export function rulesThatGave(policy: string | undefined, mandate: Given | null): readonly string[] {
  return mandate?.grantedBy?.find((one) => one.policy === policy)?.rules ?? [];
}

/** Returns `the rule "a" and 2 more`, or nothing if there are no rules. */
export function rulesInWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return `the rule "${first}"${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
