/**
 * Compares inputs, outputs and the schema of the state. A manifest can write each of them in two forms with the same
 * meaning: as a JSON Schema with the type `object`, or as a map from names to schemas.
 */

import { fieldOf } from '../read/written.ts';
import { type Category, type Change, changeAt, higher } from './change.ts';
import { fieldsOf, keysOf } from './fields.ts';
import { type SchemaDifference, schemaDifferences } from './schemas.ts';

type Members = {
  schemas: Readonly<Record<string, unknown>>;
  /** The names that are required and have no default. */
  required: ReadonlySet<string>;
  /** Everything else that the JSON Schema says about the object as a whole. Null for a map. */
  whole: Readonly<Record<string, unknown>> | null;
};

/** What a difference of the schema of one member means. */
type Meaning = { [Difference in SchemaDifference]: Category } & {
  removed: Category;
  addedRequired: Category;
  added: Category;
  /** A member that was optional and is now required. */
  becomesRequired: Category;
  becomesOptional: Category;
};

const ALWAYS = { annotation: 'PATCH', default: 'FEATURE' } as const;

const OF_INPUTS: Meaning = {
  ...ALWAYS,
  ...{ wider: 'FEATURE', narrower: 'BREAKING', other: 'BREAKING', removed: 'BREAKING' },
  ...{ added: 'FEATURE', addedRequired: 'BREAKING' },
  ...{ becomesRequired: 'BREAKING', becomesOptional: 'FEATURE' },
};

const OF_OUTPUTS: Meaning = {
  ...ALWAYS,
  ...{ wider: 'BREAKING', narrower: 'FEATURE', other: 'BREAKING', removed: 'BREAKING' },
  ...{ added: 'FEATURE', addedRequired: 'FEATURE' },
  ...{ becomesRequired: 'FEATURE', becomesOptional: 'BREAKING' },
};

const OF_STATE: Meaning = {
  ...ALWAYS,
  ...{ wider: 'FEATURE', narrower: 'FEATURE', other: 'FEATURE', removed: 'FEATURE' },
  ...{ added: 'FEATURE', addedRequired: 'FEATURE' },
  ...{ becomesRequired: 'FEATURE', becomesOptional: 'FEATURE' },
};

type Sides = { inputs?: unknown; outputs?: unknown };

export function interfaceChanged(path: string, was: Sides = {}, is: Sides = {}): Change[] {
  return [
    ...membersChanged(`${path}.inputs`, was.inputs, is.inputs, OF_INPUTS),
    ...membersChanged(`${path}.outputs`, was.outputs, is.outputs, OF_OUTPUTS),
  ];
}

export function stateChanged(path: string, was: unknown, is: unknown): Change[] {
  return membersChanged(path, was, is, OF_STATE);
}

function membersChanged(path: string, was: unknown, is: unknown, meaning: Meaning): Change[] {
  const [before, after] = [membersOf(was), membersOf(is)];
  const members = keysOf(before.schemas, after.schemas).flatMap((name) =>
    memberChanged(`${path}.${name}`, name, before, after, meaning),
  );
  const whole = categoryOf(wholeDifferences(before.whole, after.whole), meaning);
  return whole === null ? members : [...members, changeOf(path, was, is, whole)];
}

/**
 * A map refuses unknown names. A schema that does not mention unknown names counts as equal to a map, but differs from
 * a schema that refuses them.
 */
function wholeDifferences(was: Members['whole'], is: Members['whole']): ReadonlySet<SchemaDifference> {
  if (was !== null && is !== null) return schemaDifferences(was, is);
  const { additionalProperties = false, ...others } = was ?? is ?? {};
  const schema = { ...others, additionalProperties };
  const map = { additionalProperties: false };
  return was === null ? schemaDifferences(map, schema) : schemaDifferences(schema, map);
}

function memberChanged(path: string, name: string, was: Members, is: Members, meaning: Meaning): Change[] {
  const [before, after] = [fieldOf(was.schemas, name), fieldOf(is.schemas, name)];
  const [wasRequired, isRequired] = [was.required.has(name), is.required.has(name)];
  if (after === undefined) return [changeOf(path, before, after, meaning.removed)];
  if (before === undefined)
    return [changeOf(path, before, after, isRequired ? meaning.addedRequired : meaning.added)];
  const schema = categoryOf(schemaDifferences(before, after), meaning);
  const presence =
    wasRequired === isRequired ? null : isRequired ? meaning.becomesRequired : meaning.becomesOptional;
  const category = schema === null || presence === null ? (schema ?? presence) : higher(schema, presence);
  return category === null ? [] : [changeOf(path, before, after, category)];
}

function categoryOf(differences: ReadonlySet<SchemaDifference>, meaning: Meaning): Category | null {
  const categories = [...differences].map((difference) => meaning[difference]);
  return categories.length === 0 ? null : categories.reduce(higher);
}

function changeOf(path: string, was: unknown, is: unknown, category: Category): Change {
  return changeAt(path, was, is, { category, widens: null });
}

function membersOf(written: unknown): Members {
  const fields = fieldsOf(written);
  const isSchema = fields.type === 'object' || typeof fields.$schema === 'string';
  if (!isSchema)
    return { schemas: fields, required: withoutDefault(fields, Object.keys(fields)), whole: null };
  const { type: _, properties, required, ...whole } = fields;
  const schemas = fieldsOf(properties);
  const names = Array.isArray(required) ? required.map(String) : [];
  return { schemas, required: withoutDefault(schemas, names), whole };
}

function withoutDefault(
  schemas: Readonly<Record<string, unknown>>,
  names: readonly string[],
): ReadonlySet<string> {
  return new Set(names.filter((name) => fieldOf(fieldOf(schemas, name), 'default') === undefined));
}
