/**
 * The keywords of JSON Schema that argument rules may use, with the shape of each keyword's value. A document with
 * any other keyword is refused when it is loaded, so no limit is ever ignored silently.
 *
 * Source: JSON Schema 2020-12 Core and Validation; draft-07.
 */

export type Dialect = '2020-12' | 'draft-07';

export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export const KINDS: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** The required form of a keyword's value. */
export type Shape =
  | 'anything'
  | 'text'
  | 'boolean'
  | 'number'
  | 'number above 0'
  | 'count'
  | 'values'
  | 'list of values'
  | 'types'
  | 'names'
  | 'names by name'
  | 'pattern'
  | 'format'
  | 'reference'
  | 'anchor'
  | 'schema'
  | 'schemas'
  | 'schemas by name'
  | 'schemas by pattern'
  | 'schema or schemas'
  | 'names or schema by name';

export interface Keyword {
  readonly shape: Shape;
  /** The kind of value that the keyword limits. Absent if the keyword limits every kind, or none. */
  readonly limits?: Kind;
  /** True if the keyword's subschemas check the same value as the schema with the keyword. */
  readonly sameValue?: true;
  /** The only dialect that has this keyword. Absent if both dialects have the keyword. */
  readonly only?: Dialect;
  /** True if the keyword only describes the schema and has no effect. */
  readonly note?: true;
}

const note = { note: true } as const;
const since2020 = { only: '2020-12' } as const;
const draft7 = { only: 'draft-07' } as const;
const sameValue = { sameValue: true } as const;

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>(
  Object.entries({
    $comment: { shape: 'text', ...note },
    title: { shape: 'text', ...note },
    description: { shape: 'text', ...note },
    default: { shape: 'anything', ...note },
    examples: { shape: 'list of values', ...note },
    deprecated: { shape: 'boolean', ...note },
    readOnly: { shape: 'boolean', ...note },
    writeOnly: { shape: 'boolean', ...note },

    $ref: { shape: 'reference' },
    $dynamicRef: { shape: 'reference', ...since2020 },
    $anchor: { shape: 'anchor', ...since2020 },
    $dynamicAnchor: { shape: 'anchor', ...since2020 },
    $defs: { shape: 'schemas by name' },
    definitions: { shape: 'schemas by name' },

    type: { shape: 'types' },
    enum: { shape: 'values' },
    const: { shape: 'anything' },

    allOf: { shape: 'schemas', ...sameValue },
    anyOf: { shape: 'schemas', ...sameValue },
    oneOf: { shape: 'schemas', ...sameValue },
    not: { shape: 'schema', ...sameValue },
    if: { shape: 'schema', ...sameValue },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { shape: 'schema', ...sameValue },
    else: { shape: 'schema', ...sameValue },

    multipleOf: { shape: 'number above 0', limits: 'number' },
    maximum: { shape: 'number', limits: 'number' },
    exclusiveMaximum: { shape: 'number', limits: 'number' },
    minimum: { shape: 'number', limits: 'number' },
    exclusiveMinimum: { shape: 'number', limits: 'number' },

    maxLength: { shape: 'count', limits: 'string' },
    minLength: { shape: 'count', limits: 'string' },
    pattern: { shape: 'pattern', limits: 'string' },
    format: { shape: 'format', limits: 'string' },

    prefixItems: { shape: 'schemas', limits: 'array', ...since2020 },
    items: { shape: 'schema or schemas', limits: 'array' },
    additionalItems: { shape: 'schema', limits: 'array', ...draft7 },
    contains: { shape: 'schema', limits: 'array' },
    minContains: { shape: 'count', limits: 'array', ...since2020 },
    maxContains: { shape: 'count', limits: 'array', ...since2020 },
    minItems: { shape: 'count', limits: 'array' },
    maxItems: { shape: 'count', limits: 'array' },
    uniqueItems: { shape: 'boolean', limits: 'array' },
    unevaluatedItems: { shape: 'schema', limits: 'array', ...since2020 },

    required: { shape: 'names', limits: 'object' },
    minProperties: { shape: 'count', limits: 'object' },
    maxProperties: { shape: 'count', limits: 'object' },
    properties: { shape: 'schemas by name', limits: 'object' },
    patternProperties: { shape: 'schemas by pattern', limits: 'object' },
    additionalProperties: { shape: 'schema', limits: 'object' },
    propertyNames: { shape: 'schema', limits: 'object' },
    dependentRequired: { shape: 'names by name', limits: 'object', ...since2020 },
    dependentSchemas: { shape: 'schemas by name', limits: 'object', ...since2020, ...sameValue },
    dependencies: { shape: 'names or schema by name', limits: 'object', ...sameValue },
    unevaluatedProperties: { shape: 'schema', limits: 'object', ...since2020 },
  } satisfies Record<string, Keyword>),
);

/** Keywords that authors often write but that are refused, each with advice on what to write instead. */
const REFUSED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    $id: 'cannot stand in a schema within the schema: use $anchor, or $defs and $ref: "#/$defs/…"',
    $schema: 'can stand only in the outermost schema: remove it here',
    $vocabulary: 'is not supported: remove it',
    $recursiveRef: 'is of draft 2019-09: use $ref: "#"',
    $recursiveAnchor: 'is of draft 2019-09: use $ref: "#"',
    contentEncoding: 'enforces nothing in JSON Schema: limit the text with pattern and maxLength',
    contentMediaType: 'enforces nothing in JSON Schema: limit the text with pattern and maxLength',
    contentSchema: 'enforces nothing in JSON Schema: limit the text with pattern and maxLength',
    nullable: 'is of OpenAPI: name null among the types, as in type: [string, "null"]',
    discriminator: 'is of OpenAPI: use oneOf, with const for the field that tells them apart',
    example: 'is of OpenAPI: use examples, a list',
    id: 'is of draft-04: use $anchor',
    divisibleBy: 'is of draft-03: use multipleOf',
    extends: 'is of draft-03: use allOf',
    disallow: 'is of draft-03: use not',
  }),
);

/** Returns why this dialect refuses a keyword, and what to write instead. Null if the keyword is known. */
export function refusedKeyword(name: string, dialect: Dialect): string | null {
  const keyword = KEYWORDS.get(name);
  if (keyword !== undefined && (keyword.only ?? dialect) === dialect) return null;
  const refused = REFUSED.get(name);
  if (refused !== undefined) return refused;
  if (name === 'additionalItems') return 'is of draft-07: in 2020-12 items limits what follows prefixItems';
  if (keyword !== undefined) return `is not in ${dialect}: it needs the other dialect, named by $schema`;
  const meant = [...KEYWORDS.keys()].find((known) => known.toLowerCase() === name.toLowerCase());
  return meant === undefined
    ? 'is an unknown keyword: remove it, or correct its spelling'
    : `is an unknown keyword: write ${meant}`;
}

/** A schema within a schema, with the path to it. */
export interface Part {
  readonly path: readonly (string | number)[];
  readonly part: unknown;
  readonly keyword: string;
}

/** Returns the subschemas in the value of a keyword. A value of the wrong shape contains none. */
export function partsOfKeyword(name: string, value: unknown): readonly Part[] {
  switch (KEYWORDS.get(name)?.shape) {
    case 'schema':
      return [{ path: [name], part: value, keyword: name }];
    case 'schemas':
      return partsOfList(name, value);
    case 'schema or schemas':
      return Array.isArray(value) ? partsOfList(name, value) : [{ path: [name], part: value, keyword: name }];
    case 'schemas by name':
    case 'schemas by pattern':
    case 'names or schema by name':
      return isMembers(value)
        ? Object.entries(value)
            .filter(([, part]) => !Array.isArray(part))
            .map(([key, part]) => ({ path: [name, key], part, keyword: name }))
        : [];
    default:
      return [];
  }
}

function partsOfList(name: string, value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.map((part, at) => ({ path: [name, at], part, keyword: name })) : [];
}

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
