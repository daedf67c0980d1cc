/** Compares two JSON Schemas: only the annotations differ, the default, what is listed, or something else. */
import { canonicalJson } from '@mandate/policy';
import { deepEqual } from '@mandate/schemas';
import { fieldOf, isMap } from '../read/written.ts';
import { fieldsOf, keysOf } from './fields.ts';

/**
 * `wider` and `narrower`: an enum got or lost values, or other names are let in or refused. `other`: a difference that is not known to let more or fewer
 * values through.
 */
export type SchemaDifference = 'annotation' | 'default' | 'wider' | 'narrower' | 'other';

/** Words that a schema says about a value, but that refuse no value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', '$comment', '$schema'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);

/** Maps of schemas, where a value that passes a wider schema passes the whole more often. */
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
/** Lists of schemas, and schemas, of the same kind. Not `oneOf` and `not`: there, more can be less. */
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

/** The schema `true` lets all through, as `{}` does. */
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

/** True if a schema lets all other names in. It does so too if it does not say. */
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
