/** Finds out which of two files a field comes from. */
import type { Path } from '../fault.ts';
import { isMap, valueAt } from '../values-at.ts';

/**
 * True if the overlay gives the field at the path, removes it, or replaces one of the fields that contain it. False if
 * the field is as the base has it.
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
