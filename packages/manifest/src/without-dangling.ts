/**
 * Removes the references to names that are not declared, so that such a reference grants nothing. A lenient load does
 * this, and reports each reference as a warning. An entity with an undeclared type gets the type `string`.
 */
import type { ManifestDocument, PermissionsDocument } from '@mandate/schemas/manifest';
import { type Declared, declaredBy } from './checks/declared.ts';

export type Documents = { manifest: ManifestDocument; permissions: PermissionsDocument };

export function withoutDangling({ manifest, permissions }: Documents): Documents {
  const declared = declaredBy(manifest, permissions);
  return {
    manifest: knownManifest(manifest, declared),
    permissions: knownPermissions(permissions, declared),
  };
}

function knownManifest(manifest: ManifestDocument, declared: Declared): ManifestDocument {
  const intents = manifest.intents.map((intent) => ({
    ...intent,
    entities: intent.entities.map((entity) =>
      declared.entityTypes.has(entity.type) ? entity : { ...entity, type: 'string' },
    ),
  }));
  const specialists = manifest.specialists?.map((specialist) => ({
    ...specialist,
    handles_intents: known(specialist.handles_intents, declared.intents),
    uses_tools: known(specialist.uses_tools, declared.tools),
    memory_access: {
      read: known(specialist.memory_access.read, declared.stores),
      write: known(specialist.memory_access.write, declared.stores),
    },
  }));
  return { ...manifest, intents, ...(specialists === undefined ? {} : { specialists }) };
}

function knownPermissions(permissions: PermissionsDocument, declared: Declared): PermissionsDocument {
  const { read, write } = permissions.memory_policies ?? {};
  const tools = knownKeys(permissions.tool_permissions, declared.tools);
  return {
    ...permissions,
    tool_permissions: mapValues(tools, (permission) => ({
      ...permission,
      allowed_roles: known(permission.allowed_roles, declared.roles),
    })),
    ...(permissions.memory_policies === undefined
      ? {}
      : {
          memory_policies: {
            ...permissions.memory_policies,
            ...(read === undefined ? {} : { read: knownReads(read, declared) }),
            // The save rules stay: without one of them, the next rule would decide. A rule cannot save into an
            // undeclared store, because the triggers of such a store are removed here.
            ...(write?.triggers === undefined
              ? {}
              : { write: { ...write, triggers: knownKeys(write.triggers, declared.stores) } }),
          },
        }),
  };
}

type Reads = NonNullable<NonNullable<PermissionsDocument['memory_policies']>['read']>;

function knownReads(read: Reads, declared: Declared): Reads {
  const { intent_mapping, max_results } = read;
  return {
    ...read,
    ...(intent_mapping === undefined
      ? {}
      : {
          intent_mapping: mapValues(knownKeys(intent_mapping, declared.intents), (stores) =>
            known(stores, declared.stores),
          ),
        }),
    ...(max_results === undefined ? {} : { max_results: knownKeys(max_results, declared.stores) }),
  };
}

function known(names: readonly string[], declared: ReadonlySet<string>): string[] {
  return names.filter((name) => declared.has(name));
}

function knownKeys<T>(map: Readonly<Record<string, T>>, declared: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([name]) => declared.has(name)));
}

function mapValues<T>(map: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
}
