/**
 * The keys of persons are the leaves of a tree (Goldreich, Goldwasser and Micali, 1986). The two children of a node
 * are HMACs of the node. So every leaf below a node can be computed from the node, but never a node from its
 * children. To destroy one leaf, the node above it is replaced by the nodes that branch off from the path to the
 * leaf. Every other leaf stays the same, and the destroyed leaf can never be computed again. Repetition, order and
 * batches make no difference.
 *
 * Pure: a tree is never changed, only replaced.
 */
import { hmacSha256 } from './hmac-sha256.ts';

/** The depth of leaves below the root. Leaves are numbered with 64 bits. */
const LEAF_DEPTH = 64;

/**
 * A node of the tree. Every leaf below it can be computed from its key. `start`: the number of the first of these
 * leaves.
 */
export type KeyNode = { readonly depth: number; readonly start: bigint; readonly key: Uint8Array };

/** The nodes that are kept, in the order of their leaves. Each leaf is below at most one node. */
export type KeyTree = readonly KeyNode[];

type Side = 0 | 1;

/** Returns a tree with all of its leaves. */
export function plantTree(root: Uint8Array): KeyTree {
  return [{ depth: 0, start: 0n, key: root }];
}

/** Returns the 32 bytes of the leaf, or null if the leaf was destroyed. */
export function leafKey(tree: KeyTree, index: bigint): Uint8Array | null {
  const node = tree[placeAbove(tree, index)];
  if (node === undefined) return null;
  let { key } = node;
  for (let depth = node.depth; depth < LEAF_DEPTH; depth += 1) key = childKey(key, sideAt(index, depth));
  return key;
}

/** True if the leaf was not destroyed. */
export function hasLeaf(tree: KeyTree, index: bigint): boolean {
  return placeAbove(tree, index) >= 0;
}

/**
 * Returns the tree without these leaves. Each leaf adds at most 64 nodes. Returns the tree itself if all leaves were
 * destroyed before.
 */
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

/** Adds to `kept` the nodes that remain of a node without these leaves. The leaves are in order. */
function keepWithout(node: KeyNode, gone: readonly bigint[], kept: KeyNode[]): void {
  if (gone.length === 0) kept.push(node);
  if (gone.length === 0 || node.depth === LEAF_DEPTH) return;
  const [left, right] = childrenOf(node);
  const atRight = gone.findIndex((index) => index >= right.start);
  const middle = atRight === -1 ? gone.length : atRight;
  keepWithout(left, gone.slice(0, middle), kept);
  keepWithout(right, gone.slice(middle), kept);
}

/**
 * True if `puncture` can make this tree: each node is at a possible place, and each leaf is below at most one node.
 */
export function isTree(nodes: KeyTree): boolean {
  return nodes.every(({ depth, start }, place) => {
    const next = nodes[place + 1];
    return start % leavesBelow(depth) === 0n && (next === undefined || endOf({ depth, start }) <= next.start);
  });
}

/** Returns the index of the node above the leaf, or -1 if there is no such node. */
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

/** Returns the side of the node at `depth` on which the leaf is. */
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

/** Returns the number of the first leaf after the leaves of the node. */
function endOf({ depth, start }: Pick<KeyNode, 'depth' | 'start'>): bigint {
  return start + leavesBelow(depth);
}
