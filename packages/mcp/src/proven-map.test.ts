import { expect, test } from 'vitest';
import { ProvenMap } from './proven-map.ts';

test('made-up keys replace only made-up keys', () => {
  const dropped: number[] = [];
  const map = new ProvenMap<number>(3, (value) => dropped.push(value));
  map.prove('real', 0);
  for (let made = 1; made <= 10; made += 1) map.keep(`made-up-${made}`, made);
  expect(map.get('real')).toBe(0);
  expect(dropped).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(map.values()).toEqual([0, 8, 9, 10]);
});

test('a proven entry stays proven, and the entry with the oldest use is removed first', () => {
  const map = new ProvenMap<string>(2);
  map.keep('a', 'first');
  map.prove('a', 'first');
  map.prove('b', 'second');
  map.keep('a', 'first');
  map.prove('c', 'third');
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual(['first', undefined, 'third']);
});
