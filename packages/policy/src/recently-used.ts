/** A map that forgets: it holds at most twice `limit` entries, and always the last `limit` that were used. */
export interface RecentlyUsed<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/**
 * Two generations: what is used moves to the young one, and when that is full it becomes the old one, and what
 * was old goes. So names that arrive without end cost bounded memory and cannot drive out what is in use.
 */
export function recentlyUsed<V>(limit: number): RecentlyUsed<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  function set(key: string, value: V): void {
    if (young.size >= limit && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const forgotten = old.get(key);
      if (forgotten !== undefined) set(key, forgotten);
      return forgotten;
    },
    set,
  };
}
