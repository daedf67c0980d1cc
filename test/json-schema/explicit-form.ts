/**
 * Writes the implicit defaults of a schema into the schema as keywords. Mandate refuses schemas with implicit
 * defaults, and the JSON Schema suite has many such schemas. The explicit schema accepts the same values, so the
 * suite's verdicts are also true of it.
 */

type Members = Record<string, unknown>;

const EVERY_TYPE = ['array', 'boolean', 'null', 'number', 'object', 'string'];
/** Keywords that have a value and not a schema. */
const VALUES = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);
/** Keywords that have an object of schemas by name. */
const BY_NAME = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies'],
  ...['$defs', 'definitions'],
]);
/** A length that no array of the suite has. */
const ANY_LENGTH = 1_000_000;

type Dialect = '2020-12' | 'draft-07';

/** @param types the types that values of the schema can have */
export function explicitForm(schema: unknown, dialect: Dialect, types = EVERY_TYPE): unknown {
  if (Array.isArray(schema)) return schema.map((part) => explicitForm(part, dialect, types));
  if (!isMembers(schema)) return schema;
  if (dialect === 'draft-07' && Object.hasOwn(schema, '$ref')) return refAlone(schema);
  const members = Object.entries(schema).map(([name, value]) => [
    name,
    explicitMember(name, value, { dialect, types }),
  ]);
  // `fromEntries` keeps a field that is called __proto__. An assignment would not.
  return Object.fromEntries([...members, ...Object.entries(unsaid(schema, { dialect, types }))]);
}

type Context = { dialect: Dialect; types: string[] };

function explicitMember(name: string, value: unknown, { dialect, types }: Context): unknown {
  if (VALUES.has(name)) return value;
  if (name === 'propertyNames') return explicitForm(value, dialect, ['string']);
  if (!BY_NAME.has(name) || !isMembers(value)) return explicitForm(value, dialect, types);
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      Array.isArray(part) ? part : explicitForm(part, dialect, types),
    ]),
  );
}

/** Returns the implicit defaults of the schema as keywords. */
function unsaid(schema: Members, { dialect, types }: Context): Members {
  const has = (name: string) => Object.hasOwn(schema, name);
  const says: Members = has('type') ? {} : { type: types };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  if (has('if') && !has('then') && !has('else')) says.then = true;
  if (Array.isArray(schema[dialect === '2020-12' ? 'prefixItems' : 'items'])) {
    if (!has('minItems')) says.minItems = 0;
    if (!has('maxItems')) says.maxItems = ANY_LENGTH;
  }
  if (has('contains') && schema.minContains === 0 && !has('maxContains')) says.maxContains = ANY_LENGTH;
  return says;
}

/**
 * draft-07 ignores keywords beside `$ref`, so they are removed. Definitions stay, because `$ref` may refer to them.
 */
function refAlone({ $schema, $ref, definitions, $defs }: Members): Members {
  const all = { $schema, $ref, definitions, $defs };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        explicitMember(name, value, { dialect: 'draft-07', types: EVERY_TYPE }),
      ]),
  );
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
