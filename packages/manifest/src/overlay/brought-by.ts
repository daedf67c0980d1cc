/** Finds out which of two files a field comes from: the overlay or the base. */
import type { Path } from '../fault.ts';
import { isMap, valueAt } from '../values-at.ts';

/**
 * True if the overlay sets the field at the path, removes it, or replaces a field that contains it. False if the field
 * comes from the base.
 */
export function isBroughtBy(overlay: unknown, base: unknown, path: Path): boolean {
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    const laid = valueAt(overlay, above);
    if (!isMap(laid) || !isMap(valueAt(base, above))) return true;
    if (!Object.hasOwn(laid, path[depth] ?? '')) return false;
  }
  return true;
}
