import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTree, type KeyTree, leafKey, plantTree, puncture } from './key-tree.ts';

const ROOT = Buffer.alloc(32, 7);
const whole = plantTree(ROOT);
const without = (indexes: readonly bigint[], tree: KeyTree = whole) => puncture(tree, indexes);
const hex = (key: Uint8Array | null) => key && Buffer.from(key).toString('hex');

/**
 * Generates numbers of leaves: any numbers, and numbers close to the ends and to each other, because branches are
 * short there.
 */
const near = fc.tuple(fc.constantFrom(0n, 2n ** 63n, 2n ** 64n - 16n), fc.bigInt(0n, 15n));
const index = fc.oneof(
  fc.bigInt(0n, 2n ** 64n - 1n),
  near.map(([from, more]) => from + more),
);
const indexes = fc.array(index, { maxLength: 6 });

test('computes a leaf known from another implementation: 64 times hmac.new(key, b"left" or b"right", "sha256") of Python', () => {
  expect(hex(leafKey(whole, 0x0123456789abcdefn))).toBe(
    'fdfbc1abb8e86bbe35c0a208cc34631e14e5876920375f8c6ace04c0d63151e2',
  );
});

describe('a tree after any leaves were destroyed, in any order,', () => {
  test('keeps every other leaf unchanged, and contains no destroyed leaf', () => {
    fc.assert(
      fc.property(indexes, indexes, (gone, others) => {
        const tree = without(gone);
        for (const leaf of gone) expect(leafKey(tree, leaf)).toBeNull();
        for (const leaf of others.filter((other) => !gone.includes(other))) {
          expect(hex(leafKey(tree, leaf))).toBe(hex(leafKey(whole, leaf)));
        }
      }),
      { numRuns: 25 },
    );
  });

  test('never restores a leaf, whatever is destroyed later', () => {
    fc.assert(
      fc.property(index, indexes, (leaf, later) => {
        expect(leafKey(without(later, without([leaf])), leaf)).toBeNull();
      }),
      { numRuns: 25 },
    );
  });

  test('has the same result for any order and repetition', () => {
    const shuffled = indexes.chain((gone) =>
      fc.tuple(
        fc.constant(gone),
        fc.shuffledSubarray([...gone, ...gone], { minLength: gone.length * 2, maxLength: gone.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([gone, again]) => {
        const tree = without(gone);
        expect(without(again)).toEqual(tree);
        expect(without(gone, tree)).toBe(tree);
        expect(again.reduce((one, leaf) => without([leaf], one), whole)).toEqual(tree);
      }),
      { numRuns: 25 },
    );
  });

  test('keeps no node above a destroyed leaf', () => {
    fc.assert(
      fc.property(indexes, (gone) => {
        const tree = without(gone);
        expect(isTree(tree)).toBe(true);
        for (const { depth, start } of tree) {
          const end = start + 2n ** BigInt(64 - depth);
          expect(gone.filter((leaf) => start <= leaf && leaf < end)).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('takes at most 64 nodes for each destroyed leaf', () => {
    fc.assert(
      fc.property(indexes, (gone) => {
        expect(without(gone).length).toBeLessThanOrEqual(1 + 64 * gone.length);
      }),
      { numRuns: 25 },
    );
    expect(without([5n])).toHaveLength(64);
  });
});

test.each([
  ['a node where none can be', [{ depth: 1, start: 1n, key: ROOT }]],
  ['two above one leaf', [...whole, { depth: 64, start: 5n, key: ROOT }]],
  ['nodes in another order', without([5n]).toReversed()],
])('rejects %s as a tree', (_, nodes) => {
  expect(isTree(nodes)).toBe(false);
});
