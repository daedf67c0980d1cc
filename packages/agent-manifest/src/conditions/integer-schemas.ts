/**
 * Finds out which numbers of JSON data are integers: those where the JSON Schema says `integer`. Only keywords that
 * describe a value's place are followed. All other keywords, and remote references, are passed over.
 */

/** The schemas that apply to one value, with the root that their `$ref`s refer to. */
export type Schemas = { readonly root: unknown; readonly apply: readonly JsonObject[] };
type JsonObject = Readonly<Record<string, unknown>>;

/** At most this number of schemas is used for one value. Further schemas are ignored. */
const MOST_SCHEMAS = 32;
const NONE: Schemas = { root: null, apply: [] };

export function schemasOf(root: unknown): Schemas {
  return { root, apply: expanded(root, [root]) };
}

export function saysInteger({ apply }: Schemas): boolean {
  const types = apply.flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
  return types.includes('integer') && !types.includes('number');
}

export function schemasOfMember({ root, apply }: Schemas, key: string): Schemas {
  if (apply.length === 0) return NONE;
  const members = apply.map((schema) => own(own(schema, 'properties'), key) ?? schema.additionalProperties);
  return { root, apply: expanded(root, members) };
}

export function schemasOfItem({ root, apply }: Schemas, at: number): Schemas {
  if (apply.length === 0) return NONE;
  const items = apply.map(({ prefixItems, items }) =>
    Array.isArray(prefixItems) && at < prefixItems.length ? prefixItems[at] : items,
  );
  return { root, apply: expanded(root, items) };
}

/** Returns the number of items that schemas describe by position. All later items have the same schemas. */
export function positionsOf({ apply }: Schemas): number {
  const lengths = apply.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0));
  return Math.max(0, ...lengths);
}

/** Returns the given schemas, and the schemas that they refer to or combine. */
function expanded(root: unknown, schemas: readonly unknown[]): JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  for (let schema = waiting.pop(); waiting.length > 0 || schema !== undefined; schema = waiting.pop()) {
    if (!isObject(schema) || found.has(schema) || found.size >= MOST_SCHEMAS) continue;
    found.add(schema);
    for (const word of ['allOf', 'anyOf', 'oneOf']) {
      const parts = own(schema, word);
      if (Array.isArray(parts)) waiting.push(...parts.slice(0, MOST_SCHEMAS));
    }
    const reference = own(schema, '$ref');
    if (typeof reference === 'string') waiting.push(within(root, reference));
  }
  return [...found];
}

/** Returns the schema to which a reference such as `#/$defs/score` leads. */
function within(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const tokens = reference.slice(1).split('/').slice(1);
  return tokens.reduce<unknown>(
    (schema, token) => own(schema, token.replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  );
}

function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
