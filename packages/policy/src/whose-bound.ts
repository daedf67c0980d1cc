import type { MandateReference } from '@mandate/schemas';
import { rulesInWords, rulesThatGave } from '@mandate/schemas/core';

/** To stand behind a reason: whose bound it was, and which rules gave that. */
export function whoseBound(policy: string, mandate: MandateReference | null): string {
  const rules = rulesThatGave(policy, mandate);
  const by =
    rules.length === 0 ? '' : `, which ${rulesInWords(rules)} ${rules.length === 1 ? 'gives' : 'give'}`;
  return ` That is of the policy "${policy}"${by}.`;
}

/** Whether that is no policy but the bounds of the tenant, which whoever runs the plane sets; by its name (nameOfBounds). */
export function areBounds(policy: string | undefined): boolean {
  return policy?.startsWith('tenant ') === true;
}
