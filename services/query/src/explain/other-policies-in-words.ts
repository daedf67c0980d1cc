/** Describes the limits that other policies set on the same counter. Only the strictest limit decides. */
import { formatMicros, UNIT_NAMES, unitOfCheck } from '@mandate/schemas';
import type { Other } from './parse-evidence.ts';

/**
 * Returns a sentence for each other limit. It follows the sentence of a check: ` "read-only@1" allows $5.00, and
 * would have let it pass.`
 *
 * @param check the name of the check. It says in which unit the limits are
 */
export function otherPoliciesInWords(check: string, others: readonly Other[] = []): string {
  return others.map((other) => ` ${nameOf(other, 'The')} ${says(other, check)}.`).join('');
}

/** The other limits that block too, as part of a sentence: `, and the same under "read-only@1"`. */
export function blockingPoliciesInWords(others: readonly Other[] = []): string {
  const names = others.flatMap((other) => (other.result === 'block' ? nameOf(other, 'the') : []));
  return names.length === 0 ? '' : `, and the same under ${names.join(', ')}`;
}

function says({ result, maxMicros, most, maxCalls }: Other, check: string): string {
  if (result === undefined) return 'asks for that too';
  const unit = unitOfCheck(check);
  const counted = unit === undefined ? `${maxCalls} calls` : `${most} ${UNIT_NAMES[unit].noun}`;
  const allowed = maxMicros === undefined ? counted : formatMicros(maxMicros);
  return `allows ${allowed}, and would have ${result === 'pass' ? 'let it pass' : 'blocked it too'}`;
}

/**
 * Returns the name of a policy. Without a policy, the limit comes from the mandates file, which has one mandate for
 * each agent.
 */
function nameOf({ policy }: Other, the: 'The' | 'the'): string {
  return policy === undefined ? `${the} mandate of the file` : `"${policy}"`;
}
