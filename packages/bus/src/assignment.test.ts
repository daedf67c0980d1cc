import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assign, type Share, type Subscriber } from './assignment.ts';

const members = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 });
const shares = fc
  .array(fc.option(fc.constantFrom('a', 'b', 'c', 'gone'), { nil: null }), { maxLength: 20 })
  .map((owners) =>
    owners.map((owner, partition): Share => ({ partition, topic: partition % 2 ? 'odd' : 'even', owner })),
  );
const toAll = (names: readonly string[]): Subscriber[] =>
  names.map((member) => ({ member, topics: ['odd', 'even'] }));

describe('an assignment of partitions to members', () => {
  test('gives every partition to a live member, in shares that differ by one at most', () => {
    fc.assert(
      fc.property(shares, members, (partitions, names) => {
        const target = assign(partitions, toAll(names));
        expect(target.size).toBe(names.length === 0 ? 0 : partitions.length);
        const loads = names.map((name) => [...target.values()].filter((owner) => owner === name).length);
        expect(Math.max(...loads, 0) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('does not depend on the order in which members are listed', () => {
    fc.assert(
      fc.property(shares, members, (partitions, names) => {
        expect(assign(partitions, toAll(names))).toEqual(assign(partitions, toAll(names.toReversed())));
      }),
    );
  });

  test('changes nothing when it runs again on its own result', () => {
    fc.assert(
      fc.property(shares, members, (partitions, names) => {
        const target = assign(partitions, toAll(names));
        const carriedOut = partitions.map((share) => ({
          ...share,
          owner: target.get(share.partition) ?? null,
        }));
        expect(assign(carriedOut, toAll(names))).toEqual(target);
      }),
    );
  });

  test('moves no more partitions than balance needs', () => {
    const held = ['a', 'a', 'a', 'a', 'b', 'b'].map((owner, partition) => ({
      partition,
      topic: 'odd',
      owner,
    }));
    const target = assign(held, toAll(['a', 'b', 'c']));
    const moved = held.filter(({ partition, owner }) => target.get(partition) !== owner);
    expect(moved).toHaveLength(2);
    expect(moved.every(({ partition }) => target.get(partition) === 'c')).toBe(true);
  });

  test('gives a topic only to its subscribers', () => {
    fc.assert(
      fc.property(shares, (partitions) => {
        const target = assign(partitions, [
          { member: 'a', topics: ['odd'] },
          { member: 'b', topics: ['odd', 'even'] },
        ]);
        for (const { partition, topic } of partitions) {
          if (topic === 'even') expect(target.get(partition)).toBe('b');
        }
      }),
    );
    expect(
      assign([{ partition: 0, topic: 'even', owner: 'a' }], [{ member: 'a', topics: ['odd'] }]).size,
    ).toBe(0);
  });
});
