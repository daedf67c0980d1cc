/** Finds the circles of a graph: Tarjan's strongly connected components, without recursion and in linear time. */

type Visit = { node: string; at: number };

/**
 * Returns the groups of nodes that lead to each other, and the nodes that lead to themselves. Nodes and groups are in
 * the order of the graph.
 */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map([...graph.keys()].map((node, at) => [node, at] as const));
  const placeOf = (node: string) => order.get(node) ?? 0;
  const found = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  const enter = (node: string): Visit => {
    lowest.set(node, found.size);
    found.set(node, found.size);
    open.push(node);
    isOpen.add(node);
    return { node, at: 0 };
  };
  const lower = (node: string, to: number) => lowest.set(node, Math.min(lowest.get(node) ?? to, to));

  for (const start of graph.keys()) {
    if (found.has(start)) continue;
    const visits = [enter(start)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { node } = visit;
      const next = graph.get(node)?.[visit.at];
      visit.at += 1;
      if (next !== undefined) {
        const index = found.get(next);
        if (index === undefined) visits.push(enter(next));
        else if (isOpen.has(next)) lower(node, index);
        continue;
      }
      visits.pop();
      const parent = visits.at(-1);
      const low = lowest.get(node) ?? 0;
      if (parent !== undefined) lower(parent.node, low);
      if (low !== found.get(node)) continue;
      const group = open.splice(open.lastIndexOf(node));
      for (const member of group) isOpen.delete(member);
      if (group.length > 1 || graph.get(node)?.includes(node)) circles.push(group);
    }
  }
  return circles
    .map((circle) => circle.toSorted((a, b) => placeOf(a) - placeOf(b)))
    .toSorted(([a = ''], [b = '']) => placeOf(a) - placeOf(b));
}
