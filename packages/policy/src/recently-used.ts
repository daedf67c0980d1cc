/** A cache with at most twice `limit` entries. It always contains the last `limit` entries that were used. */
export interface RecentlyUsed<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/**
 * Creates a cache that keeps a young and an old generation of entries. A used entry moves to the young generation.
 * When the young generation is full, it becomes the old generation, and the previous old generation is dropped. So an
 * endless stream of names uses limited memory and does not remove entries in use.
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
