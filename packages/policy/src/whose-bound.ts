import { type MandateReference, rulesInWords, rulesThatGave } from '@mandate/schemas';

/** To stand behind a reason: whose bound it was, and which rules gave that. */
export function whoseBound(policy: string, mandate: MandateReference | null): string {
  const rules = rulesThatGave(policy, mandate);
  const by =
    rules.length === 0 ? '' : `, which ${rulesInWords(rules)} ${rules.length === 1 ? 'gives' : 'give'}`;
  return ` That is of the policy "${policy}"${by}.`;
}
