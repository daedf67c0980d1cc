/** Finds references that lead nowhere. */
import type { ManifestDocument, PermissionsDocument } from '@mandate/schemas/manifest';
import type { Found } from '../fault.ts';
import { type Declared, itemsAt, keysAt, undeclared } from './declared.ts';
import { storeOf } from './save-rules.ts';

export function referencesOfManifest(
  { intents, specialists = [] }: ManifestDocument,
  declared: Declared,
): Found[] {
  return [
    ...intents.flatMap(({ entities }, intent) =>
      undeclared(
        declared,
        'entityTypes',
        entities.map(({ type }, at) => [['intents', intent, 'entities', at, 'type'], type]),
      ),
    ),
    ...specialists.flatMap(({ handles_intents, uses_tools, memory_access }, at) => {
      const path = ['specialists', at];
      return [
        ...undeclared(declared, 'intents', itemsAt([...path, 'handles_intents'], handles_intents)),
        ...undeclared(declared, 'tools', itemsAt([...path, 'uses_tools'], uses_tools)),
        ...undeclared(declared, 'stores', itemsAt([...path, 'memory_access', 'read'], memory_access.read)),
        ...undeclared(declared, 'stores', itemsAt([...path, 'memory_access', 'write'], memory_access.write)),
      ];
    }),
  ];
}

export function referencesOfPermissions(permissions: PermissionsDocument, declared: Declared): Found[] {
  const { tool_permissions, memory_policies } = permissions;
  const read = ['memory_policies', 'read'];
  const write = ['memory_policies', 'write'];
  const mapping = memory_policies?.read?.intent_mapping ?? {};
  const rules = Object.entries(memory_policies?.write?.save_rules ?? {});
  return [
    ...undeclared(declared, 'tools', keysAt(['tool_permissions'], tool_permissions)),
    ...Object.entries(tool_permissions).flatMap(([tool, { allowed_roles }]) =>
      undeclared(declared, 'roles', itemsAt(['tool_permissions', tool, 'allowed_roles'], allowed_roles)),
    ),
    ...undeclared(declared, 'intents', keysAt([...read, 'intent_mapping'], mapping)),
    ...Object.entries(mapping).flatMap(([intent, stores]) =>
      undeclared(declared, 'stores', itemsAt([...read, 'intent_mapping', intent], stores)),
    ),
    ...undeclared(declared, 'stores', keysAt([...read, 'max_results'], memory_policies?.read?.max_results)),
    ...undeclared(declared, 'stores', keysAt([...write, 'triggers'], memory_policies?.write?.triggers)),
    ...rules.flatMap(([name, rule]) => {
      const store = storeOf(rule);
      const field = rule.store === undefined ? 'action' : 'store';
      return store === null
        ? []
        : undeclared(declared, 'stores', [[[...write, 'save_rules', name, field], store]]);
    }),
  ];
}
