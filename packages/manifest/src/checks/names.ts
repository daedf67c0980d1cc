/** Finds names that occur twice in one list, and names that already have a meaning. */
import { CAPS } from '@mandate/schemas';
import { ENTITY_TYPES, type ManifestDocument, type PermissionsDocument } from '@mandate/schemas/manifest';
import { type Found, found, type Path } from '../fault.ts';

export function namesOfManifest(manifest: ManifestDocument): Found[] {
  const ids = (list: readonly { id: string }[] | undefined, path: Path) =>
    namesTwice(list?.map(({ id }) => id) ?? [], path, 'id');
  return [
    ...ids(manifest.memory?.stores, ['memory', 'stores']),
    ...builtInTypes(manifest),
    ...ids(manifest.intents, ['intents']),
    ...manifest.intents.flatMap(({ entities }, at) =>
      namesTwice(
        entities.map(({ name }) => name),
        ['intents', at, 'entities'],
        'name',
      ),
    ),
    ...ids(manifest.tools, ['tools']),
    ...ids(manifest.specialists, ['specialists']),
    ...longNames(manifest),
  ];
}

export function namesOfPermissions(permissions: PermissionsDocument, manifest: ManifestDocument): Found[] {
  const taken = manifest.specialists?.find(({ id }) => `${manifest.name}.${id}` === permissions.name);
  return [
    ...namesTwice(
      permissions.roles.map(({ id }) => id),
      ['roles'],
      'id',
    ),
    ...(taken === undefined
      ? []
      : [
          found(
            'VALUE_INVALID',
            ['name'],
            `must not be the name of the policy of the specialist "${taken.id}": choose another`,
          ),
        ]),
  ];
}

function namesTwice(names: readonly string[], path: Path, field: string): Found[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      found(
        'ID_TWICE',
        [...path, at, field],
        `is "${name}" a second time in this list: give each item its own ${field}`,
      ),
    ];
  });
}

function builtInTypes(manifest: ManifestDocument): Found[] {
  const builtIn: ReadonlySet<string> = new Set(ENTITY_TYPES);
  return Object.keys(manifest.entity_types ?? {})
    .filter((name) => builtIn.has(name))
    .map((name) =>
      found(
        'VALUE_INVALID',
        ['entity_types', name],
        'is the name of a type that needs no declaration: choose another name',
      ),
    );
}

/** The agent of a specialist has the id `name.id`. */
function longNames({ name, specialists = [] }: ManifestDocument): Found[] {
  return specialists.flatMap(({ id }, at) =>
    name.length + 1 + id.length <= CAPS.idUnits
      ? []
      : [
          found(
            'VALUE_INVALID',
            ['specialists', at, 'id'],
            `makes the id "${name}.${id}" longer than ${CAPS.idUnits} characters: choose a shorter one`,
          ),
        ],
  );
}
