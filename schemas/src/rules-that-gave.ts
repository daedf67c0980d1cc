import type { GivenPolicy } from './given-policy.ts';

type Given = { grantedBy?: readonly GivenPolicy[] | undefined };

/**
 * Returns the rules that gave the policy. Empty for a policy that no rule gave, such as tenant limits. Also empty for
 * older records.
 */
export function rulesThatGave(policy: string | undefined, mandate: Given | null): readonly string[] {
  return mandate?.grantedBy?.find((one) => one.policy === policy)?.rules ?? [];
}

/** Returns text such as `the rule "a" and 2 more`. Empty if there are no rules. */
export function rulesInWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return `the rule "${first}"${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
