/** Finds limits and filters of texts and turns that an overlay makes less strict. */
import { deepEqual, PRIVACY_PATTERNS } from '@mandate/schemas';
import { sensitiveFieldName } from '../sensitive-field-name.ts';
import { isMap, valueAt } from '../values-at.ts';
import { entriesGone, limitWidens, NOT_COMPARED, type Widening, widens } from './compare.ts';

const LIMITS = [
  ['guardrails', 'input', 'max_length'],
  ['guardrails', 'output', 'max_length'],
  ['guardrails', 'agent', 'max_tool_calls_per_turn'],
  ['guardrails', 'agent', 'max_iterations'],
  ['guardrails', 'agent', 'timeout_seconds'],
] as const;

export function guardrailWidenings(before: unknown, after: unknown): Widening[] {
  return [
    ...LIMITS.flatMap((path) => limitWidens(before, after, path)),
    ...entriesGone(before, after, ['guardrails', 'input', 'blocked_patterns']),
    ...filtersWiden(before, after),
    ...['redact', 'hash'].flatMap((list) =>
      entriesGone(before, after, ['audit', 'sensitive_fields', list], { form: sensitiveFieldName }),
    ),
  ];
}

/** The filters of a policy: for each kind of content, 1 if it is redacted and 2 if it is blocked. */
type Filters = ReadonlyMap<string, number>;

function filtersWiden(before: unknown, after: unknown): Widening[] {
  const path = ['guardrails', 'output', 'blocked_content'];
  const [written, replaced] = [valueAt(before, path), valueAt(after, path)];
  if (written === undefined || deepEqual(written, replaced)) return [];
  const [was, is] = [filtersIn(written), filtersIn(replaced)];
  if (was === null) return [widens(path, NOT_COMPARED, NOT_COMPARED)];
  const loosened = [...was].filter(([kind, strength]) => (is?.get(kind) ?? 0) < strength);
  const kinds = () =>
    loosened
      .slice(0, 5)
      .map(([kind]) => kind)
      .join(', ');
  return loosened.length === 0
    ? []
    : [
        widens(
          path,
          () => `a filter is off, narrower or softer: ${kinds()}`,
          () => `a filter is on, wider or stricter: ${kinds()}`,
        ),
      ];
}

function filtersIn(content: unknown): Filters | null {
  if (!Array.isArray(content)) return null;
  const filters = new Map<string, number>();
  for (const item of content) {
    if (!isMap(item)) return null;
    for (const [filter, kinds, field] of [
      ['pii_detection', PRIVACY_PATTERNS, 'types'],
      ['profanity_filter', ['profanity'], 'words'],
    ] as const) {
      const found = kindsOf(item[filter], kinds, field);
      for (const [kind, strength] of found) filters.set(kind, Math.max(strength, filters.get(kind) ?? 0));
    }
  }
  return filters;
}

function kindsOf(filter: unknown, all: readonly string[], field: 'types' | 'words'): [string, number][] {
  if (filter === true) return all.map((kind) => [kind, 1]);
  if (!isMap(filter)) return [];
  const strength = filter.action === 'block' ? 2 : 1;
  const listed = filter[field];
  const kinds = Array.isArray(listed) ? listed.map((kind) => String(kind)) : all;
  return kinds.map((kind) => [kind, strength]);
}
