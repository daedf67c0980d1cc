/**
 * The keys of persons are the leaves of a tree (Goldreich, Goldwasser and Micali, 1986). The two children of a node are
 * HMACs of it, so a holder of a node can compute every leaf below it, but never a node from its children. To destroy one
 * leaf, the node above it is replaced by the branches that leave the way down to it: every other leaf stays what it was,
 * and that one can never be computed again. Destroying twice, in another order, or many at once comes to the same.
 *
 * Pure: a tree is never changed, only replaced.
 */
import { hmacSha256 } from './hmac-sha256.ts';

/** Leaves are counted by 64 bits, and lie so many steps below the root. */
const LEAF_DEPTH = 64;

/** From the key of a node every leaf below it can be computed. `start`: the first of these leaves. */
export type KeyNode = { readonly depth: number; readonly start: bigint; readonly key: Uint8Array };

/** The nodes that are kept, in the order of their leaves; no leaf lies below two of them. */
export type KeyTree = readonly KeyNode[];

type Side = 0 | 1;

/** A tree that has all of its leaves. */
export function plantTree(root: Uint8Array): KeyTree {
  return [{ depth: 0, start: 0n, key: root }];
}

/** 32 bytes; null: it was destroyed. */
export function leafKey(tree: KeyTree, index: bigint): Uint8Array | null {
  const node = tree[placeAbove(tree, index)];
  if (node === undefined) return null;
  let { key } = node;
  for (let depth = node.depth; depth < LEAF_DEPTH; depth += 1) key = childKey(key, sideAt(index, depth));
  return key;
}

/** Whether it was not destroyed. */
export function hasLeaf(tree: KeyTree, index: bigint): boolean {
  return placeAbove(tree, index) >= 0;
}

/** The tree without these leaves: at most 64 nodes more for each. The very same tree, where all were destroyed before. */
export function puncture(tree: KeyTree, indexes: readonly bigint[]): KeyTree {
  const there = indexes.filter((index) => hasLeaf(tree, index));
  if (there.length === 0) return tree;
  const gone = there.sort((one, other) => (one < other ? -1 : 1));
  const kept: KeyNode[] = [];
  let next = 0;
  for (const node of tree) {
    const first = next;
    while (next < gone.length && (gone[next] ?? 0n) < endOf(node)) next += 1;
    keepWithout(node, gone.slice(first, next), kept);
  }
  return kept;
}

/** The rest of a node without these leaves below it, which are in order. */
function keepWithout(node: KeyNode, gone: readonly bigint[], kept: KeyNode[]): void {
  if (gone.length === 0) kept.push(node);
  if (gone.length === 0 || node.depth === LEAF_DEPTH) return;
  const [left, right] = childrenOf(node);
  const atRight = gone.findIndex((index) => index >= right.start);
  const middle = atRight === -1 ? gone.length : atRight;
  keepWithout(left, gone.slice(0, middle), kept);
  keepWithout(right, gone.slice(middle), kept);
}

/** Whether it is a tree as `puncture` leaves one: each node where it can be, and no leaf below two. */
export function isTree(nodes: KeyTree): boolean {
  return nodes.every(({ depth, start }, place) => {
    const next = nodes[place + 1];
    return start % leavesBelow(depth) === 0n && (next === undefined || endOf({ depth, start }) <= next.start);
  });
}

/** Where the node lies that is above the leaf; -1 when none is. */
function placeAbove(tree: KeyTree, index: bigint): number {
  let low = 0;
  let high = tree.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = tree[middle];
    if (node !== undefined && node.start <= index) low = middle + 1;
    else high = middle;
  }
  const node = tree[low - 1];
  return node !== undefined && index < endOf(node) ? low - 1 : -1;
}

/** Which way leads from the node at `depth` down to the leaf. */
function sideAt(index: bigint, depth: number): Side {
  return ((index >> BigInt(LEAF_DEPTH - 1 - depth)) & 1n) === 0n ? 0 : 1;
}

function childrenOf({ depth, start, key }: KeyNode): [KeyNode, KeyNode] {
  const below = depth + 1;
  return [
    { depth: below, start, key: childKey(key, 0) },
    { depth: below, start: start + leavesBelow(below), key: childKey(key, 1) },
  ];
}

function childKey(key: Uint8Array, side: Side): Uint8Array {
  return hmacSha256(key, CHILD[side]);
}

const CHILD = [Buffer.from('left'), Buffer.from('right')] as const;

function leavesBelow(depth: number): bigint {
  return 1n << BigInt(LEAF_DEPTH - depth);
}

/** The first leaf behind those of the node. */
function endOf({ depth, start }: Pick<KeyNode, 'depth' | 'start'>): bigint {
  return start + leavesBelow(depth);
}
