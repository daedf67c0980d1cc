/**
 * The identity of a definition: a text that says which definition a reference means. Two versions of a manifest are
 * compared by these texts.
 */
import { type Catalog, type DefinitionKind, type Entry, findDefinition } from '../catalog.ts';

/**
 * The path of the definition. In it, a member of a pack has its id instead of its number, because the number may
 * change.
 */
export function identityOf({ path, key, id }: Pick<Entry<DefinitionKind>, 'path' | 'key' | 'id'>): string {
  return key === null ? `${path.slice(0, path.lastIndexOf('.'))}.${id}` : path;
}

/**
 * The identity of the agent. For a model: a blank and the name of the model, so that no definition has the same
 * identity.
 */
export function agentMeant(catalog: Catalog, reference: string): string {
  const read = findDefinition(catalog, 'agent', reference);
  return read.found === 'ok' ? identityOf(read.entry) : `model ${reference}`;
}

/**
 * The names and identities of the definitions that a list refers to. The name is the key or id of the definition. If
 * there is no definition, the text itself is both.
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
