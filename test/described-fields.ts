/**
 * Reads the descriptions and examples of fields in JSON Schemas. Tests require a sentence and an example for each
 * field.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The part of a JSON Schema that these functions read. */
type Schema = {
  description?: string;
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  $ref?: string;
  $defs?: Record<string, Schema>;
};

/** A field of an object. `path` has the names of the fields that contain it, and its own name. */
type Field = { path: string; schema: Schema };

/** Returns every field of every object in the schema, at any depth. */
export function fieldsIn(schema: Schema, path: string): Field[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    path: `${path}.${name}`,
    schema: field,
  }));
  const parts = [
    ...Object.values(schema.$defs ?? {}),
    ...(schema.prefixItems ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...[schema.items, schema.additionalProperties, schema.not].filter((part) => typeof part === 'object'),
  ];
  return [
    ...own,
    ...own.flatMap((field) => fieldsIn(field.schema, field.path)),
    ...parts.flatMap((part) => fieldsIn(part, path)),
  ];
}

/** A sentence begins with a capital letter, a digit or code, and ends with a full stop. */
const SENTENCE = /^[A-Z0-9`].+[.]$/s;

/**
 * Returns the faults of the fields, one line for each: no sentence, no example, or an example that the field's own
 * schema refuses.
 */
export function faultsOfFields(fields: readonly Field[], $defs: Record<string, Schema> = {}): string[] {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  // The faults found so far, by schema. Many routes share a schema, and compiling a schema takes a millisecond.
  const known = new Map<string, readonly string[]>();
  const faultsOf = (schema: Schema): readonly string[] => {
    const key = JSON.stringify(schema);
    const found = known.get(key) ?? [
      ...(SENTENCE.test(schema.description ?? '') ? [] : [`no sentence (${schema.description ?? ''})`]),
      ...(hasExample(schema) ? [] : ['no example']),
      ...(schema.examples ?? [])
        .filter((example) => !ajv.validate({ ...schema, $defs }, example))
        .map((example) => `${JSON.stringify(example)} is no valid example: ${ajv.errorsText()}`),
    ];
    known.set(key, found);
    return found;
  };
  return fields.flatMap(({ path, schema }) => faultsOf(schema).map((fault) => `${path}: ${fault}`));
}

/**
 * True if the schema has an example or needs none. No value fits a field that must be absent. The fields of an object have their own examples, so the object needs none.
 */
function hasExample(schema: Schema): boolean {
  if (schema.examples !== undefined) return schema.examples.length > 0;
  if (schema.not !== undefined && Object.keys(schema.not).length === 0) return true;
  if (schema.const !== undefined || schema.enum !== undefined || schema.properties !== undefined) return true;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ type }) => type !== 'null');
  if (choices.length > 0) return choices.every(hasExample);
  const parts = [schema.items, ...(schema.allOf ?? [])];
  return parts.some((part) => part !== undefined && hasExample(part));
}
