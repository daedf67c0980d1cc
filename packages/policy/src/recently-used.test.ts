import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recentlyUsed } from './recently-used.ts';

test('keeps an entry that is used again, whatever other entries arrive', () => {
  const cache = recentlyUsed<number>(10);
  cache.set('kept', 1);
  for (let i = 0; i < 1_000; i += 1) {
    cache.set(`new ${i}`, i);
    if (i % 5 === 0) expect(cache.get('kept')).toBe(1);
  }
});

test('keeps the most recently used entries, contains at most twice the limit, and never confuses entries', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60), { minLength: 1, maxLength: 200 }), (keys) => {
      const cache = recentlyUsed<number>(5);
      for (const key of keys) cache.set(`k${key}`, key);
      for (const key of new Set(keys.slice(-5))) expect(cache.get(`k${key}`)).toBe(key);
      const fresh = recentlyUsed<number>(5);
      for (const key of keys) fresh.set(`k${key}`, key);
      const held = [...new Set(keys)].filter((key) => fresh.get(`k${key}`) !== undefined);
      expect(held.length).toBeLessThanOrEqual(10);
    }),
  );
});
