/**
 * Adds an entry as the most recent one. If there are then more than `most` entries, removes and returns the oldest.
 * Otherwise returns null.
 */
export function keepRecent<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  most: number,
): Value | null {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return null;
  const [oldest] = map;
  if (oldest === undefined) return null;
  map.delete(oldest[0]);
  return oldest[1];
}
