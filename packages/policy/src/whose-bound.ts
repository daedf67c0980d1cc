import type { MandateReference } from '@mandate/schemas';
import { rulesInWords, rulesThatGave } from '@mandate/schemas/core';

/** Follows a reason: the policy that set the bound, and the rules that gave the policy. */
export function whoseBound(policy: string, mandate: MandateReference | null): string {
  const rules = rulesThatGave(policy, mandate);
  const by =
    rules.length === 0 ? '' : `, which ${rulesInWords(rules)} ${rules.length === 1 ? 'gives' : 'give'}`;
  return ` That is of the policy "${policy}"${by}.`;
}

/**
 * Whether the name is that of the bounds of the tenant (nameOfBounds), which the operator of the plane sets, and of no
 * policy.
 */
export function areBounds(policy: string | undefined): boolean {
  return policy?.startsWith('tenant ') === true;
}
