/**
 * JSON Merge Patch (RFC 7386). Maps are merged. Any other value, also a list, replaces the old value as a whole. Null
 * removes a field.
 */
import { isMap } from '../values-at.ts';

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged = new Map(isMap(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
