import { isPlaceholder } from '@mandate/policy';
import type { Action } from '@mandate/schemas';

/**
 * Returns the id at this path. Null if there is no id, or if the id was replaced, because it then identifies no
 * person.
 */
export function personAt(action: Action, path: string): string | null {
  let value: unknown = action;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && !isPlaceholder(value) ? value : null;
}
