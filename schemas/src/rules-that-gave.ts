import type { GivenPolicy } from './given-policy.ts';

type Given = { grantedBy?: readonly GivenPolicy[] | undefined };

/** The rules that gave the policy. Empty for a policy of no rule, such as the limits of a tenant, and for older records. */
export function rulesThatGave(policy: string | undefined, mandate: Given | null): readonly string[] {
  return mandate?.grantedBy?.find((one) => one.policy === policy)?.rules ?? [];
}

/** `the rule "a" and 2 more`; nothing, where there are none. */
export function rulesInWords([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return `the rule "${first}"${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
