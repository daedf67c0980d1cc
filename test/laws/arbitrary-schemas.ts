/** Makes schemas and values from a small set of names, numbers and texts, so that they often match. */
import fc from 'fast-check';

const NAMES = ['a', 'b', 'c', 'ab'];
const NUMBERS = [0, 1, 2, 3, -1, 0.5, 1.5, 0.1, 0.3, 19.99, 1e21];
const TEXTS = ['', 'a', 'b', 'ab', 'aba', '😀', 'a😀', '1'];
const PATTERNS = ['a', '^a', 'b$', '^.$', '^(a|b)*$', '\\d'];
const EVERY_TYPE = ['array', 'boolean', 'null', 'number', 'object', 'string'];

export const schemaValues: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    fc.constantFrom(...NUMBERS, ...TEXTS, true, false, null),
    fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, depthIdentifier: 'value' }),
  ),
})).value;

const count = fc.nat({ max: 3 });
const number = fc.constantFrom(...NUMBERS);
const name = fc.constantFrom(...NAMES);
const simple = fc.constantFrom<unknown>(
  ...NUMBERS,
  ...TEXTS,
  true,
  null,
  [],
  [1],
  { a: 1 },
  { b: [], a: 'a' },
);

/** Makes objects with one keyword, or with a few keywords that belong together. */
function keywords(schema: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const byName = fc.dictionary(name, schema, { minKeys: 1, maxKeys: 2 });
  const some = fc.array(schema, { minLength: 1, maxLength: 3 });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  return fc.oneof(
    ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'].map((keyword) =>
      number.map((limit) => ({ [keyword]: limit })),
    ),
    fc.constantFrom(0.01, 0.1, 0.5, 1, 2, 3, 1e-300, 1e21).map((multipleOf) => ({ multipleOf })),
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) =>
      count.map((limit) => ({ [keyword]: limit })),
    ),
    fc.constantFrom(...PATTERNS).map((pattern) => ({ pattern })),
    simple.map((value) => ({ const: value })),
    fc.array(simple, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    fc.boolean().map((uniqueItems) => ({ uniqueItems })),
    schema.map((items) => ({ items })),
    fc
      .record({ prefixItems: some, items: schema })
      .map(({ prefixItems, items }) => ({ prefixItems, items, minItems: 0 })),
    some.map((prefixItems) => ({ prefixItems, minItems: 0, maxItems: 3 })),
    schema.map((contains) => ({ contains })),
    fc
      .record({ contains: schema, minContains: count, more: count })
      .map(({ contains, minContains, more }) => ({ contains, minContains, maxContains: minContains + more })),
    names.map((required) => ({ required })),
    byName.map((properties) => ({ properties })),
    fc
      .dictionary(fc.constantFrom(...PATTERNS), schema, { minKeys: 1, maxKeys: 2 })
      .map((patternProperties) => ({ patternProperties })),
    schema.map((additionalProperties) => ({ additionalProperties })),
    fc.record({ properties: byName, additionalProperties: schema }),
    fc.constantFrom<object>({ maxLength: 1 }, { pattern: 'b' }, { enum: ['a'] }).map((propertyNames) => ({
      propertyNames,
    })),
    fc.dictionary(name, names, { maxKeys: 2 }).map((dependentRequired) => ({ dependentRequired })),
    byName.map((dependentSchemas) => ({ dependentSchemas })),
    fc.dictionary(name, fc.oneof(names, schema), { maxKeys: 2 }).map((dependencies) => ({ dependencies })),
    ...['allOf', 'anyOf', 'oneOf'].map((keyword) => some.map((parts) => ({ [keyword]: parts }))),
    schema.map((not) => ({ not })),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    fc.record({ if: schema, then: schema, else: schema }, { requiredKeys: ['if', 'then'] }),
    fc.record({ if: schema, else: schema }),
    reference,
  );
}

const reference = fc
  .tuple(
    fc.constantFrom('$ref', '$dynamicRef'),
    fc.constantFrom('#/$defs/x', '#/$defs/y', '#here', '#there', '#'),
  )
  .map(([keyword, target]) => ({ [keyword]: target }));

const unevaluated = (schema: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ unevaluatedProperties: false, unevaluatedItems: false }) },
    {
      weight: 1,
      arbitrary: fc.record({ unevaluatedProperties: schema, unevaluatedItems: schema }, { requiredKeys: [] }),
    },
  );

const { schema: part } = fc.letrec((tie) => {
  const below = tie('schema');
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      fc.constantFrom<unknown>(true, false, {}, { type: 'integer' }, { type: ['string', 'object'] }),
      fc
        .tuple(fc.array(keywords(below), { minLength: 1, maxLength: 4 }), unevaluated(below))
        // If two parts have the same keyword, the later one counts. `type` allows every type, so that every other
        // keyword applies to some value.
        .map(([parts, rest]) => Object.assign({ type: EVERY_TYPE }, ...parts, rest)),
    ),
  };
});

/**
 * Generates schemas of JSON Schema 2020-12. Some are refused by the loader, because their references form a cycle
 * that never reaches another value.
 */
export const schemas: fc.Arbitrary<object> = fc.tuple(part, part, part).map(([root, x, y]) => ({
  $defs: {
    x: anchoredAs({ $anchor: 'here' }, x),
    y: anchoredAs({ $dynamicAnchor: 'there' }, y),
  },
  type: EVERY_TYPE,
  ...(typeof root === 'object' ? root : { allOf: [root] }),
}));

function anchoredAs(anchor: object, schema: unknown): object {
  return typeof schema === 'object' ? { ...anchor, ...schema } : { ...anchor, allOf: [schema] };
}
