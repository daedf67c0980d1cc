/** The nodes of a graph recipe by their ids, and where each of them leads. */
import type { GraphNode, GraphRecipe } from '@mandate/schemas/agent-manifest';

/** `next`: the id of the node that follows an agent or a person. Without `next`, the run ends after the node. */
export type Graph = {
  entry: string;
  nodes: ReadonlyMap<string, GraphNode>;
  next: ReadonlyMap<string, string>;
};

/** @param recipe a valid recipe: each id occurs once, and an agent or a person has at most one edge */
export function graphOf({ topology: { entry_point, nodes, edges } }: GraphRecipe): Graph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const next = edges.filter(({ source }) => hasEdge(byId.get(source)));
  return {
    entry: entry_point,
    nodes: byId,
    next: new Map(next.map(({ source, target }) => [source, target])),
  };
}

/** True if edges say which node follows this node. Routers and evaluators have routes instead. */
export function hasEdge(node: GraphNode | undefined): boolean {
  return node?.type === 'agent' || node?.type === 'human';
}

/** An exit of a router or an evaluator. `field`: the path, within the node, of the field that names the target. */
type Route = { field: readonly string[]; target: string };

export function routesOf(node: GraphNode): readonly Route[] {
  switch (node.type) {
    case 'router':
      return [
        ...Object.entries(node.routes).map(([value, target]) => ({ field: ['routes', value], target })),
        { field: ['default_route'], target: node.default_route },
      ];
    case 'evaluator':
      return [
        { field: ['pass_route'], target: node.pass_route },
        { field: ['fail_route'], target: node.fail_route },
      ];
    default:
      return [];
  }
}

/** For each node, the nodes to which it leads: the targets of its edge, or of its routes. */
export function targetsOf({ nodes, next }: Graph): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...nodes].map(([id, node]) => {
      const edge = next.get(id);
      const routes = routesOf(node).map(({ target }) => target);
      return [id, edge === undefined ? routes : [edge]];
    }),
  );
}
