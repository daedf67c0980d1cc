/**
 * Checks where the edges and routes of a graph recipe lead. The fields of the recipe must already be free of faults.
 */
import type { GraphRecipe } from '@mandate/schemas/agent-manifest';
import { circlesIn } from '../read/checks/circles.ts';
import { type Found, found, type WarningCode } from '../read/fault.ts';
import { graphOf, hasEdge, routesOf, targetsOf } from './graph.ts';

const NODES = ['topology', 'nodes'];
const EDGES = ['topology', 'edges'];

export function graphFaults(recipe: GraphRecipe): Found[] {
  const twice = idsTwice(recipe);
  // Circles are not searched for if it is uncertain where the edges lead.
  const leading = [...twice, ...missingTargets(recipe)];
  const edges = edgeFaults(recipe);
  return [...leading, ...edges, ...(leading.length === 0 && edges.length === 0 ? circleFaults(recipe) : [])];
}

export function graphWarnings(recipe: GraphRecipe): Found<WarningCode>[] {
  const graph = graphOf(recipe);
  const targets = targetsOf(graph);
  const reached = new Set([graph.entry]);
  for (const id of reached) for (const target of targets.get(id) ?? []) reached.add(target);
  return recipe.topology.nodes.flatMap(({ id }, at) =>
    reached.has(id)
      ? []
      : [
          found(
            'NODE_UNREACHABLE',
            [...NODES, at],
            'is never visited: let an edge or a route lead to it, or remove it',
          ),
        ],
  );
}

function idsTwice({ topology: { nodes } }: GraphRecipe): Found[] {
  const seen = new Set<string>();
  return nodes.flatMap(({ id }, at): Found[] => {
    if (seen.has(id))
      return [found('ID_DUPLICATE', [...NODES, at, 'id'], `is the id of another node too: "${id}"`)];
    seen.add(id);
    return [];
  });
}

function missingTargets({ topology: { entry_point, nodes, edges } }: GraphRecipe): Found[] {
  const known = new Set(nodes.map(({ id }) => id));
  const missing = (path: readonly PropertyKey[], id: string): Found[] =>
    known.has(id) ? [] : [found('REFERENCE_MISSING', path, `names "${id}", but no node has this id`)];
  return [
    ...missing(['topology', 'entry_point'], entry_point),
    ...nodes.flatMap((node, at) =>
      routesOf(node).flatMap(({ field, target }) => missing([...NODES, at, ...field], target)),
    ),
    ...edges.flatMap(({ source, target }, at) => [
      ...missing([...EDGES, at, 'source'], source),
      ...missing([...EDGES, at, 'target'], target),
    ]),
  ];
}

function edgeFaults({ topology: { nodes, edges } }: GraphRecipe): Found[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const routes = new Map(nodes.map((node) => [node.id, new Set(routesOf(node).map(({ target }) => target))]));
  const left = new Set<string>();
  return edges.flatMap(({ source, target }, at): Found[] => {
    const node = byId.get(source);
    if (node === undefined || !byId.has(target)) return [];
    if (!hasEdge(node))
      return routes.get(source)?.has(target) === true
        ? []
        : [
            found(
              'EDGE_NOT_A_ROUTE',
              [...EDGES, at],
              `leads from "${source}" to "${target}", which is no route of it: add the route, or remove the edge`,
            ),
          ];
    if (left.has(source))
      return [
        found(
          'EDGE_AMBIGUOUS',
          [...EDGES, at],
          `is a second way out of "${source}": let a router choose between them`,
        ),
      ];
    left.add(source);
    return [];
  });
}

function circleFaults(recipe: GraphRecipe): Found[] {
  const targets = targetsOf(graphOf(recipe));
  const places = new Map(recipe.topology.nodes.map(({ id }, at) => [id, at]));
  return circlesIn(targets).flatMap((circle): Found[] => {
    const within = new Set(circle);
    if (circle.some((id) => targets.get(id)?.some((target) => !within.has(target)))) return [];
    const [first = ''] = circle;
    const shown = circle.slice(0, MOST_SHOWN).join(', ');
    return [
      found(
        'CYCLE',
        [...NODES, places.get(first) ?? 0],
        `is in a circle that no router or evaluator leaves (${shown}): let one of them lead to a node outside`,
      ),
    ];
  });
}

const MOST_SHOWN = 10;
