/** Finds definitions of one type that have the same key or id. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import type { Catalog } from '../../catalog.ts';
import { type Found, found, type Path } from '../fault.ts';

/** The names of a definition. `id` is null if only the key is written, or if the id equals the key. */
type Called = { at: Path; key: string | null; id: string | null };

export function duplicateIds(manifest: AgentManifest, catalog: Catalog): Found[] {
  const kinds = ['tool', 'agent', 'skill'] as const;
  return [
    ...kinds.flatMap((kind) =>
      duplicatesIn(
        kind,
        catalog[kind].entries.map(({ at, key, id }) => ({ at, key, id: id === key ? null : id })),
      ),
    ),
    ...duplicatesIn('tool pack', packsIn(manifest)),
  ];
}

function packsIn({ definitions = {} }: AgentManifest): Called[] {
  return Object.entries(definitions).flatMap(([key, definition]): Called[] => {
    if (definition.type !== 'tool_pack') return [];
    const { id = key } = definition;
    return [{ at: ['definitions', key], key, id: id === key ? null : id }];
  });
}

function duplicatesIn(kind: string, all: readonly Called[]): Found[] {
  const known = new Map<string, Path>();
  return all.flatMap(({ at, key, id }) => {
    const faults: Found[] = [];
    for (const [name, path] of [
      [key, at],
      [id, [...at, 'id']],
    ] as const) {
      if (name === null) continue;
      const before = known.get(name);
      if (before === undefined) known.set(name, at);
      else
        faults.push(
          found('ID_DUPLICATE', path, () => {
            const other = before.join('.');
            return `is called "${name}" like ${other}, which is a ${kind} too: give it another ${path === at && key !== null ? 'key' : 'id'}`;
          }),
        );
    }
    return faults;
  });
}
