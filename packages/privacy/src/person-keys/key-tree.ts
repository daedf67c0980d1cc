/**
 * The keys of persons are the leaves of a tree (Goldreich, Goldwasser and Micali, 1986). The two children of a node are
 * HMACs of it, so whoever holds a node can compute every leaf below it, and nobody a node from its children. To destroy
 * one leaf, the node above it is replaced by the branches that leave the way down to it: every other leaf stays what it
 * was, and that one can never be computed again. Destroying twice, or in another order, comes to the same.
 *
 * Pure: a tree is never changed, only replaced.
 */
import { createHmac } from 'node:crypto';

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

/** The tree without this leaf: at most 64 nodes more. The very same tree, where it was destroyed before. */
export function puncture(tree: KeyTree, index: bigint): KeyTree {
  const place = placeAbove(tree, index);
  const node = tree[place];
  if (node === undefined) return tree;
  const before: KeyNode[] = [];
  const behind: KeyNode[] = [];
  let { key } = node;
  for (let depth = node.depth; depth < LEAF_DEPTH; depth += 1) {
    const side = sideAt(index, depth);
    const branch = branchAt(index, depth, childKey(key, side === 0 ? 1 : 0));
    if (side === 0) behind.unshift(branch);
    else before.push(branch);
    key = childKey(key, side);
  }
  return tree.toSpliced(place, 1, ...before, ...behind);
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

/** The child of the node at `depth` that does not lie on the way to the leaf. */
function branchAt(index: bigint, depth: number, key: Uint8Array): KeyNode {
  const below = BigInt(LEAF_DEPTH - 1 - depth);
  return { depth: depth + 1, start: ((index >> below) ^ 1n) << below, key };
}

function childKey(key: Uint8Array, side: Side): Uint8Array {
  return createHmac('sha256', key).update(CHILD[side]).digest();
}

const CHILD = [Buffer.from('left'), Buffer.from('right')] as const;

function leavesBelow(depth: number): bigint {
  return 1n << BigInt(LEAF_DEPTH - depth);
}

/** The first leaf behind those of the node. */
function endOf({ depth, start }: Pick<KeyNode, 'depth' | 'start'>): bigint {
  return start + leavesBelow(depth);
}
