/** The maps that an expression writes out, such as `{"a": 1}`. Their keys may be numbers and bools too. */
import { type Dictionary, failure, isA, type Result, typeOf, type Value } from './values.ts';

/** @param pairs keys and values, alternately */
export function mapOfEntries(pairs: readonly Value[]): Result {
  const entries = new Map<string | bigint | boolean, Value>();
  const keys: Value[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const [key = null, value = null] = pairs.slice(at, at + 2);
    const normal = normalKey(key);
    if (normal === null) return failure(`${typeOf(key)} cannot be the key of a map`);
    if (entries.has(normal)) return failure('a key of the map occurs twice');
    entries.set(normal, value);
    keys.push(key);
  }
  const map: Dictionary = {
    is: 'map',
    size: () => entries.size,
    keys: () => keys,
    get(key) {
      const normal = normalKey(key);
      return normal === null ? undefined : entries.get(normal);
    },
  };
  return map;
}

/** Numbers of different types are the same key if they are equal. */
function normalKey(key: Value): string | bigint | boolean | null {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : null;
  return isA(key, 'uint') ? key.value : null;
}
