/** Finds cycles of imports, among files and among workspaces. */
import { posix } from 'node:path';
import { readModule } from './read-module.ts';
import { isForTests, type Tree, workspaceOf } from './tree.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the cycles of imports among files, tests included. An import of a type counts too, because it also makes
 * one file depend on another.
 */
export function fileCycles(tree: Tree): string[][] {
  return cyclesOf(
    new Map(
      [...tree.files].map(([path, text]) => [
        path,
        readModule(path, text).imports.flatMap(({ specifier }) =>
          specifier?.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
        ),
      ]),
    ),
  );
}

/**
 * Returns the cycles of imports among workspaces. Tests are left out: a package's tests may use a package that
 * depends on it.
 */
export function workspaceCycles(tree: Tree): string[][] {
  const graph = new Map<string, string[]>(tree.workspaces.map(({ name }) => [name, []]));
  for (const [path, text] of tree.files) {
    if (isForTests(path)) continue;
    const { name } = workspaceOf(tree, path);
    for (const { specifier } of readModule(path, text).imports) {
      const target = tree.workspaces.find((w) => specifier === w.name || specifier?.startsWith(`${w.name}/`));
      if (target !== undefined) graph.get(name)?.push(target.name);
    }
  }
  return cyclesOf(graph);
}

/** Returns the strongly connected components that contain a cycle, each sorted (Tarjan 1972). */
export function cyclesOf(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const connect = (node: string): number => {
    let lowest = index.size;
    index.set(node, lowest);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, connect(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, index.get(next) ?? lowest);
    }
    if (lowest === index.get(node)) {
      const component = stack.splice(stack.indexOf(node));
      const isCircle = component.length > 1 || graph.get(node)?.includes(node);
      if (isCircle) cycles.push(component.toSorted());
    }
    return lowest;
  };

  for (const node of graph.keys()) if (!index.has(node)) connect(node);
  return cycles;
}
