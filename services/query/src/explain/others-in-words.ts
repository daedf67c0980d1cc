/** What other policies say of a counter, of which the strictest is judged. */
import { formatMicros } from '@mandate/schemas';
import type { Other } from './seen.ts';

/** ` "read-only@1" allows $5.00, and would have let it pass.`, each; to stand behind the sentence of a check. */
export function othersInWords(others: readonly Other[] = []): string {
  return others.map((other) => ` ${nameOf(other, 'The')} ${says(other)}.`).join('');
}

/** Who of them stands in the way besides, in the middle of a sentence: `, and as much under "read-only@1"`. */
export function besides(others: readonly Other[] = []): string {
  const names = others.flatMap((other) => (other.result === 'block' ? nameOf(other, 'the') : []));
  return names.length === 0 ? '' : `, and as much under ${names.join(', ')}`;
}

function says({ result, maxMicros, maxCalls }: Other): string {
  if (result === undefined) return 'asks for that too';
  const most = maxMicros === undefined ? `${maxCalls} calls` : formatMicros(maxMicros);
  return `allows ${most}, and would have ${result === 'pass' ? 'let it pass' : 'blocked it too'}`;
}

/** No name: of a file there is but one mandate. */
function nameOf({ policy }: Other, the: 'The' | 'the'): string {
  return policy === undefined ? `${the} mandate of the file` : `"${policy}"`;
}
