/** Warns of parts of valid documents that have no effect, or an effect other than the one they seem to have. */
import {
  type ManifestDocument,
  type PermissionsDocument,
  READ_BY_MODEL,
  STORE_TYPES,
  WRITE_BY_MODEL,
} from '@mandate/schemas/manifest';
import { type Found, found, type Path } from '../fault.ts';
import { matchesEverything } from '../patterns.ts';
import { sensitiveFieldName } from '../sensitive-field-name.ts';

const TYPES: ReadonlySet<string> = new Set(STORE_TYPES);

export function manifestWarnings(manifest: ManifestDocument, permissions: PermissionsDocument): Found[] {
  const { intents, tools = [], specialists = [], memory } = manifest;
  const known = new Set(intents.map(({ id }) => id));
  const handled = new Set(specialists.flatMap(({ handles_intents }) => handles_intents));
  const used = new Set(
    specialists
      .filter(({ handles_intents }) => handles_intents.some((intent) => known.has(intent)))
      .flatMap(({ uses_tools }) => uses_tools),
  );
  return [
    ...(memory?.stores ?? []).flatMap(({ type }, at) =>
      warnIf(
        !TYPES.has(type),
        found(
          'STORE_TYPE_UNKNOWN',
          ['memory', 'stores', at, 'type'],
          `"${type}" is not a usual type. It changes no decision; the usual types are ${STORE_TYPES.join(', ')}`,
        ),
      ),
    ),
    ...intents.flatMap(({ id, triggers }, at) => [
      ...everything(triggers.patterns, ['intents', at, 'triggers', 'patterns']),
      ...warnIf(
        !handled.has(id) && !triggers.fallback,
        found(
          'INTENT_WITHOUT_SPECIALIST',
          ['intents', at],
          `"${id}" is handled by no specialist: add it to handles_intents of one`,
        ),
      ),
    ]),
    ...tools.flatMap(({ id }, at) => [
      ...warnIf(
        specialists.length > 0 && !used.has(id),
        found(
          'TOOL_UNREACHABLE',
          ['tools', at],
          `"${id}" is used by no specialist that handles an intent: add it to uses_tools of one, or remove it`,
        ),
      ),
      ...warnIf(
        !Object.hasOwn(permissions.tool_permissions, id),
        found(
          'TOOL_WITHOUT_PERMISSION',
          ['tools', at],
          `"${id}" has no permission, so nobody may use it: add it to tool_permissions, or remove it`,
        ),
      ),
    ]),
  ];
}

export function permissionWarnings(permissions: PermissionsDocument, manifest: ManifestDocument): Found[] {
  const { guardrails, audit, memory_policies } = permissions;
  const sensitive = new Set((manifest.tools ?? []).filter((tool) => tool.sensitive).map(({ id }) => id));
  return [
    ...levelsTwice(permissions),
    ...Object.entries(permissions.tool_permissions).flatMap(([tool, permission]) => {
      const path = ['tool_permissions', tool];
      return [
        ...warnIf(
          permission.allowed_roles.length === 0,
          found(
            'TOOL_FOR_NOBODY',
            [...path, 'allowed_roles'],
            'is empty, so nobody may use the tool: add a role',
          ),
        ),
        ...warnIf(
          permission.requires_confirmation === false && sensitive.has(tool),
          found(
            'SENSITIVE_WITHOUT_CONFIRMATION',
            [...path, 'requires_confirmation'],
            'is false, although the tool is sensitive: nobody is asked before a call. Remove it to ask',
          ),
        ),
        ...warnIf(
          !permission.audit_log,
          found(
            'AUDIT_ALWAYS_ON',
            [...path, 'audit_log'],
            'has no effect, because every decision is recorded: remove it',
          ),
        ),
      ];
    }),
    ...principleHoldsAll(permissions),
    ...Object.entries(memory_policies?.write?.save_rules ?? {}).flatMap(([name, { patterns = [] }]) =>
      everything(patterns, ['memory_policies', 'write', 'save_rules', name, 'patterns']),
    ),
    ...everything(guardrails?.input?.blocked_patterns ?? [], ['guardrails', 'input', 'blocked_patterns']),
    ...warnIf(
      audit?.log_level !== undefined,
      found(
        'LOG_LEVEL_WITHOUT_EFFECT',
        ['audit', 'log_level'],
        'has no effect, because each decision is a record, and no log line: remove it. `mandate tail` and `mandate decisions list --event` show decisions',
      ),
    ),
    ...hashedAndRedacted(audit?.sensitive_fields),
  ];
}

function warnIf(holds: boolean, warning: Found): Found[] {
  return holds ? [warning] : [];
}

function levelsTwice({ roles }: PermissionsDocument): Found[] {
  const first = new Map<number, string>();
  return roles.flatMap(({ id, level }, at) => {
    if (level === undefined) return [];
    const other = first.get(level);
    if (other === undefined) first.set(level, id);
    return warnIf(
      other !== undefined,
      found(
        'ROLE_LEVEL_TWICE',
        ['roles', at, 'level'],
        `is the level of "${other}" too: give each role its own level`,
      ),
    );
  });
}

function principleHoldsAll({ memory_policies }: PermissionsDocument): Found[] {
  if (memory_policies?.core_principle === undefined) return [];
  const lists = [
    ['read', memory_policies.read?.llm_cannot, READ_BY_MODEL],
    ['write', memory_policies.write?.llm_cannot, WRITE_BY_MODEL],
  ] as const;
  return lists.flatMap(([part, list, all]) => {
    const written: ReadonlySet<string> = new Set(list ?? all);
    const left = all.filter((word) => !written.has(word));
    return warnIf(
      left.length > 0,
      found(
        'PRINCIPLE_HOLDS_ALL',
        ['memory_policies', part, 'llm_cannot'],
        `leaves out ${left.join(', ')}, but core_principle forbids them too: add them, or remove core_principle`,
      ),
    );
  });
}

function everything(patterns: readonly string[], path: Path): Found[] {
  return patterns.flatMap((pattern, at) =>
    warnIf(
      matchesEverything(pattern),
      found('PATTERN_MATCHES_EVERYTHING', [...path, at], 'matches every text: write what it should find'),
    ),
  );
}

type SensitiveFields = NonNullable<PermissionsDocument['audit']>['sensitive_fields'];

function hashedAndRedacted(fields: SensitiveFields): Found[] {
  const redacted = new Set(fields?.redact.map(sensitiveFieldName));
  return (fields?.hash ?? []).flatMap((name, at) =>
    warnIf(
      redacted.has(sensitiveFieldName(name)),
      found(
        'HASH_AND_REDACT',
        ['audit', 'sensitive_fields', 'hash', at],
        `"${name}" is redacted too, so it is never hashed: remove it from one of the two lists`,
      ),
    ),
  );
}
