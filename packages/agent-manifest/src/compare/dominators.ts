/**
 * Finds the dominators of a graph: for each node, the nodes that lie on every path to it. The algorithm is that of
 * Lengauer and Tarjan ("A Fast Algorithm for Finding Dominators in a Flowgraph", 1979). It takes E log N steps.
 */

/** `parent`: the closest dominator of each node that can be reached. The entry node has none. */
export type Dominators = {
  parent: ReadonlyMap<string, string | null>;
  /** True if every path to `node` leads through `other`, or if they are the same node. */
  dominates: (other: string, node: string) => boolean;
};

export function dominatorsOf(entry: string, targets: ReadonlyMap<string, readonly string[]>): Dominators {
  const { order, before } = searched(entry, targets);
  const number = new Map(order.map((node, at) => [node, at]));
  const sources: number[][] = order.map(() => []);
  for (const [at, node] of order.entries())
    for (const target of targets.get(node) ?? []) sources[number.get(target) ?? 0]?.push(at);

  const half = order.map((_, at) => at);
  const closest: number[] = order.map(() => 0);
  const waiting: number[][] = order.map(() => []);
  const forest = forestOver(half);
  for (let at = order.length - 1; at > 0; at -= 1) {
    for (const source of sources[at] ?? []) {
      const least = half[forest.best(source)] ?? 0;
      if (least < (half[at] ?? 0)) half[at] = least;
    }
    waiting[half[at] ?? 0]?.push(at);
    const parent = before[at] ?? 0;
    forest.link(parent, at);
    for (const node of waiting[parent] ?? []) {
      const best = forest.best(node);
      closest[node] = (half[best] ?? 0) < parent ? best : parent;
    }
    waiting[parent] = [];
  }
  for (let at = 1; at < order.length; at += 1)
    if (closest[at] !== half[at]) closest[at] = closest[closest[at] ?? 0] ?? 0;

  const nameOf = (at: number) => order[at] ?? entry;
  const parent = new Map(order.map((node, at) => [node, at === 0 ? null : nameOf(closest[at] ?? 0)]));
  const spans = spansOf(closest);
  const spanOf = (node: string) => spans[number.get(node) ?? -1];
  return {
    parent,
    dominates: (other, node) => {
      const [outer, inner] = [spanOf(other), spanOf(node)];
      return outer !== undefined && inner !== undefined && outer.from <= inner.from && inner.to <= outer.to;
    },
  };
}

/** The nodes in the order of a depth-first search, and for each node the number of the node before it. */
function searched(
  entry: string,
  targets: ReadonlyMap<string, readonly string[]>,
): { order: readonly string[]; before: readonly number[] } {
  const order: string[] = [];
  const before: number[] = [];
  const seen = new Set<string>();
  const open: { node: string; from: number }[] = [{ node: entry, from: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.node)) continue;
    seen.add(next.node);
    const at = order.push(next.node) - 1;
    before.push(next.from);
    for (const target of targets.get(next.node) ?? []) open.push({ node: target, from: at });
  }
  return { order, before };
}

/**
 * The trees of the nodes that are already handled. `best` finds, on the way to the root, the node with the smallest
 * semidominator.
 */
function forestOver(half: readonly number[]) {
  const ancestor = new Map<number, number>();
  const label = half.map((_, at) => at);
  const least = (at: number) => half[label[at] ?? 0] ?? 0;
  const compress = (start: number) => {
    const way: number[] = [];
    for (let at = start; ancestor.has(ancestor.get(at) ?? -1); at = ancestor.get(at) ?? 0) way.push(at);
    for (const at of way.toReversed()) {
      const above = ancestor.get(at) ?? 0;
      if (least(above) < least(at)) label[at] = label[above] ?? above;
      ancestor.set(at, ancestor.get(above) ?? above);
    }
  };
  return {
    link: (parent: number, child: number) => ancestor.set(child, parent),
    best: (at: number): number => {
      if (!ancestor.has(at)) return at;
      compress(at);
      return label[at] ?? at;
    },
  };
}

/**
 * The times when a walk over the dominator tree enters and leaves each node. A node dominates all nodes that the walk
 * enters in between.
 */
function spansOf(closest: readonly number[]): readonly { from: number; to: number }[] {
  const children: number[][] = closest.map(() => []);
  for (const [at, parent] of closest.entries()) if (at > 0) children[parent]?.push(at);
  const spans = closest.map(() => ({ from: 0, to: 0 }));
  let clock = 0;
  const open = closest.length === 0 ? [] : [{ at: 0, leaves: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const span = spans[next.at];
    clock += 1;
    if (span === undefined) continue;
    if (next.leaves) {
      span.to = clock;
      continue;
    }
    span.from = clock;
    open.push({ at: next.at, leaves: true });
    for (const child of children[next.at] ?? []) open.push({ at: child, leaves: false });
  }
  return spans;
}
