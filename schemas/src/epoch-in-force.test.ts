import { expect, test } from 'vitest';
import { DEFAULTS } from './defaults.ts';
import { type EpochInForce, epochAfter, holdsIn, replayMemoryAfter } from './epoch-in-force.ts';

type Begun = Parameters<typeof epochAfter>[1];

test.each<[string, EpochInForce | null, Begun, EpochInForce]>([
  ['the first of all', null, { id: 'a', generation: 7 }, { id: 'a', generation: 7 }],
  ['a higher generation', { id: 'a', generation: 7 }, { id: 'b', generation: 8 }, { id: 'b', generation: 8 }],
  ['a lower one', { id: 'b', generation: 8 }, { id: 'a', generation: 7 }, { id: 'b', generation: 8 }],
  ['the same one', { id: 'a', generation: 7 }, { id: 'b', generation: 7 }, { id: 'a', generation: 7 }],
  ['none, where there were none', null, { id: 'a' }, { id: 'a', generation: 0 }],
  ['none, behind none', { id: 'a', generation: 0 }, { id: 'b' }, { id: 'b', generation: 0 }],
  ['any, behind none', { id: 'a', generation: 0 }, { id: 'b', generation: 1 }, { id: 'b', generation: 1 }],
  ['none, behind one', { id: 'a', generation: 7 }, { id: 'b' }, { id: 'b', generation: 7 }],
])('returns the epoch after a record that names %s', (_, before, begun, after) => {
  expect(epochAfter(before, begun)).toEqual(after);
});

test('a record without a generation does not allow used generations again', () => {
  const begun: Begun[] = [{ id: 'a', generation: 7 }, { id: 'b' }, { id: 'late', generation: 6 }];
  expect(begun.reduce<EpochInForce | null>(epochAfter, null)).toEqual({ id: 'b', generation: 7 });
});

test('a decision of another epoch is void, and any decision counts if no epoch was named', () => {
  expect(holdsIn({ id: 'a', generation: 7 }, 'a')).toBe(true);
  expect(holdsIn({ id: 'a', generation: 7 }, 'b')).toBe(false);
  expect(holdsIn(null, 'b')).toBe(true);
});

test.each<[string, number | null, number | undefined, number]>([
  ['the first, which names one', null, 5, 5],
  ['the first, which names none', null, undefined, DEFAULTS.replayMemoryMs],
  ['one that names none', 5, undefined, 5],
  ['a shorter one', 5, 4, 5],
  ['a longer one', 5, 6, 6],
])('returns how long ids are remembered after %s', (_, known, replayMemoryMs, behind) => {
  expect(replayMemoryAfter(known, { replayMemoryMs })).toBe(behind);
});
