/**
 * Compares two JSON Schemas. The result says whether only annotations, only the default or only the listed values
 * differ, or something else.
 */
import { canonicalJson } from '@mandate/policy';
import { deepEqual } from '@mandate/schemas';
import { fieldOf, isMap } from '../read/written.ts';
import { fieldsOf, keysOf } from './fields.ts';

/**
 * `wider` and `narrower`: an enum got or lost values, or unknown names are now accepted or refused. `other`: it is
 * unknown whether the schema accepts more or fewer values.
 */
export type SchemaDifference = 'annotation' | 'default' | 'wider' | 'narrower' | 'other';

/** Keywords that describe a value, but never refuse one. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', '$comment', '$schema'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);

/** Keywords with a map of schemas. If one of these schemas becomes wider, the whole schema becomes wider. */
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
/**
 * Keywords with a list of schemas, or with one schema, for which the same is true. `oneOf` and `not` are left out: a
 * wider part can make the whole narrower.
 */
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'allOf',
]);

/** Lists in any order. */
const SETS: ReadonlySet<string> = new Set(['required', 'type']);

export function schemaDifferences(was: unknown, is: unknown): ReadonlySet<SchemaDifference> {
  const found = new Set<SchemaDifference>();
  compareSchemas(was, is, found);
  return found;
}

function compareSchemas(was: unknown, is: unknown, found: Set<SchemaDifference>): void {
  const [before, after] = [asMap(was), asMap(is)];
  if (!isMap(before) || !isMap(after)) {
    if (!deepEqual(before, after)) found.add('other');
    return;
  }
  for (const keyword of keysOf(before, after))
    compareKeyword(keyword, fieldOf(before, keyword), fieldOf(after, keyword), found);
}

/** The schema `true` accepts every value, as `{}` does. */
function asMap(schema: unknown): unknown {
  return schema === true ? {} : schema;
}

function compareKeyword(keyword: string, was: unknown, is: unknown, found: Set<SchemaDifference>): void {
  if (deepEqual(was, is)) return;
  if (ANNOTATIONS.has(keyword)) found.add('annotation');
  else if (keyword === 'default') found.add('default');
  else if (keyword === 'enum') compareEnums(was, is, found);
  else if (
    keyword === 'additionalProperties' &&
    isOpen(was) !== isOpen(is) &&
    (was === false || is === false)
  )
    found.add(is === false ? 'narrower' : 'wider');
  else if (MAPS_OF_SCHEMAS.has(keyword)) compareMaps(fieldsOf(was), fieldsOf(is), found);
  else if (SCHEMAS.has(keyword) && was !== undefined && is !== undefined) compareApplied(was, is, found);
  else if (!SETS.has(keyword) || !sameTexts(was, is)) found.add('other');
}

/** True if a schema accepts unknown names. A schema that does not mention them accepts them too. */
function isOpen(additionalProperties: unknown = true): boolean {
  return deepEqual(asMap(additionalProperties), {});
}

function compareMaps(
  was: Readonly<Record<string, unknown>>,
  is: Readonly<Record<string, unknown>>,
  found: Set<SchemaDifference>,
): void {
  for (const name of keysOf(was, is)) {
    if (!Object.hasOwn(was, name) || !Object.hasOwn(is, name)) found.add('other');
    else compareSchemas(was[name], is[name], found);
  }
}

function compareApplied(was: unknown, is: unknown, found: Set<SchemaDifference>): void {
  if (!Array.isArray(was) || !Array.isArray(is)) compareSchemas(was, is, found);
  else if (was.length !== is.length) found.add('other');
  else for (const [at, schema] of was.entries()) compareSchemas(schema, is[at], found);
}

function compareEnums(was: unknown, is: unknown, found: Set<SchemaDifference>): void {
  if (!Array.isArray(was) || !Array.isArray(is)) {
    found.add('other');
    return;
  }
  const [before, after] = [new Set(was.map(canonicalJson)), new Set(is.map(canonicalJson))];
  if ([...after].some((value) => !before.has(value))) found.add('wider');
  if ([...before].some((value) => !after.has(value))) found.add('narrower');
}

function sameTexts(was: unknown, is: unknown): boolean {
  const [before, after] = [textsOf(was), textsOf(is)];
  return (
    before !== null &&
    after !== null &&
    before.size === after.size &&
    [...before].every((text) => after.has(text))
  );
}

function textsOf(value: unknown): ReadonlySet<string> | null {
  const list = typeof value === 'string' ? [value] : value;
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? new Set(list) : null;
}
