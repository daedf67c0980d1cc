/** Adds an entry as the most recent entry, and drops the oldest entry if there are more than `most`. */
export function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
