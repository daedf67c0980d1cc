/** Checks a value against the limits that the strict reader applies to texts. */
import { CAPS } from './defaults.ts';
import type { JsonCaps } from './read-json.ts';

/**
 * True if the strict reader would accept the text of this value. Checks the depth, the keys, and the elements of
 * lists. The length of strings is not checked again, because the strings came from the strict reader. Takes linear
 * time.
 */
export function isWithinCaps(value: unknown, caps: JsonCaps = CAPS): boolean {
  let keys = 0;
  let elements = 0;

  function fits(part: unknown, depth: number): boolean {
    if (typeof part !== 'object' || part === null) return true;
    if (depth > caps.depth) return false;
    if (Array.isArray(part)) {
      elements += part.length;
      return elements <= caps.elements && part.every((element) => fits(element, depth + 1));
    }
    for (const member of Object.values(part)) {
      if (member === undefined) continue;
      keys += 1;
      if (keys > caps.keys || !fits(member, depth + 1)) return false;
    }
    return true;
  }

  return fits(value, 1);
}
