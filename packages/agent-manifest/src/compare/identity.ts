/** Which definition a reference means, as a text that two versions of a manifest can be compared by. */
import { type Catalog, type DefinitionKind, type Entry, findDefinition } from '../catalog.ts';

/** The path of the definition. A member of a pack has its id there, because its number may change. */
export function identityOf({ path, key, id }: Pick<Entry<DefinitionKind>, 'path' | 'key' | 'id'>): string {
  return key === null ? `${path.slice(0, path.lastIndexOf('.'))}.${id}` : path;
}

/** The identity of the agent. A model has its name after a blank, so that no definition has the same identity. */
export function agentMeant(catalog: Catalog, reference: string): string {
  const read = findDefinition(catalog, 'agent', reference);
  return read.found === 'ok' ? identityOf(read.entry) : `model ${reference}`;
}

/**
 * Names and identities of what a list refers to. The name is the key or id of the definition. Where there is no
 * definition, the text itself is both.
 */
export function referencesOf(
  catalog: Catalog,
  kind: 'agent' | 'skill',
  written: readonly string[] = [],
): ReadonlyMap<string, string> {
  return new Map(
    written.map((reference) => {
      const read = findDefinition(catalog, kind, reference);
      return read.found === 'ok'
        ? [read.entry.key ?? read.entry.id, identityOf(read.entry)]
        : [reference, reference];
    }),
  );
}
