import type { MandateReference } from '@mandate/schemas';
import { rulesInWords, rulesThatGave } from '@mandate/schemas/core';

/**
 * Returns a sentence to append to a reason. It names the policy that set the limit, and the rules that grant the
 * policy.
 */
export function attribution(policy: string, mandate: MandateReference | null): string {
  const rules = rulesThatGave(policy, mandate);
  const by =
    rules.length === 0 ? '' : `, which ${rulesInWords(rules)} ${rules.length === 1 ? 'gives' : 'give'}`;
  return ` This comes from the policy "${policy}"${by}.`;
}

/**
 * True if the name is the name of the tenant limits (nameOfTenantLimits), not of a policy. The operator of the plane sets
 * the tenant limits.
 */
export function areTenantLimits(policy: string | undefined): boolean {
  return policy?.startsWith('tenant ') === true;
}
