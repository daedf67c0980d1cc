/** The names that a manifest and its permissions declare. Other parts of the documents refer to them. */
import { nearestName } from '@mandate/schemas';
import { ENTITY_TYPES, type ManifestDocument, type PermissionsDocument } from '@mandate/schemas/manifest';
import { type FaultCode, type Found, found, type Path } from '../fault.ts';

export type Declared = {
  intents: ReadonlySet<string>;
  tools: ReadonlySet<string>;
  stores: ReadonlySet<string>;
  roles: ReadonlySet<string>;
  entityTypes: ReadonlySet<string>;
};

export function declaredBy(manifest: ManifestDocument, { roles }: PermissionsDocument): Declared {
  const ids = (list: readonly { id: string }[] = []) => new Set(list.map(({ id }) => id));
  return {
    intents: ids(manifest.intents),
    tools: ids(manifest.tools),
    stores: ids(manifest.memory?.stores),
    roles: ids(roles),
    entityTypes: new Set([...ENTITY_TYPES, ...Object.keys(manifest.entity_types ?? {})]),
  };
}

const KINDS = {
  intents: { code: 'INTENT_UNKNOWN', is: 'an intent of the manifest' },
  tools: { code: 'TOOL_UNKNOWN', is: 'a tool of the manifest' },
  stores: { code: 'STORE_UNKNOWN', is: 'a store of the manifest' },
  roles: { code: 'ROLE_UNKNOWN', is: 'one of the roles' },
  entityTypes: { code: 'ENTITY_TYPE_UNKNOWN', is: `${ENTITY_TYPES.join(', ')} or one of entity_types` },
} as const satisfies Record<keyof Declared, { code: FaultCode; is: string }>;

/** The maximum number of pairs of letters that are compared to find the name that the author probably meant. */
const STEPS = 100_000;

/** Returns a fault for each name that is not declared. */
export function undeclared(
  declared: Declared,
  kind: keyof Declared,
  names: readonly (readonly [Path, string])[],
): Found[] {
  const { code, is } = KINDS[kind];
  return names
    .filter(([, name]) => !declared[kind].has(name))
    .map(([path, name]) =>
      found(code, path, () => {
        const meant = nearestName(name, declared[kind], STEPS);
        const remedy =
          meant === undefined ? 'declare it, or remove it here' : `write "${meant}", or declare it`;
        return `"${name}" is not ${is}: ${remedy}`;
      }),
    );
}

/** Returns the items of a list of names, each with its path. */
export function itemsAt(path: Path, names: readonly string[]): [Path, string][] {
  return names.map((name, at) => [[...path, at], name]);
}

/** Returns the names of the fields of a map, each with its path. */
export function keysAt(path: Path, map: Readonly<Record<string, unknown>> | undefined): [Path, string][] {
  return Object.keys(map ?? {}).map((name) => [[...path, name], name]);
}
