import { isPlaceholder } from '@mandate/policy';
import type { Action } from '@mandate/schemas';

/** The id that stands at this path; null where none does, or one that tells nobody any more. */
export function personAt(action: Action, path: string): string | null {
  let value: unknown = action;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && !isPlaceholder(value) ? value : null;
}
