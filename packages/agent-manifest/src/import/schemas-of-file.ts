/** Reads JSON Schemas from imported files. */
import type { ImportFields } from './import-fields.ts';
import type { Json, JsonMap } from './json-value.ts';

/** Returns a JSON Schema of an object. Null if the field is absent, or describes something else. */
export function objectSchemaOf(fields: ImportFields, name: string): Record<string, Json> | null {
  const schema = fields.map(name);
  if (schema === null) return null;
  if (schema.value.type === 'object') return { ...schema.value };
  const message = `${name} describes no object, and is not taken over`;
  fields.notes.warn('FIELD_NOT_TAKEN', fields.file, fields.at(name), message);
  return null;
}

/** Returns the schema of an object with these properties. Each is a JSON Schema. */
export function objectSchema(
  properties: readonly (readonly [name: string, schema: JsonMap])[],
  required: readonly string[],
): Record<string, Json> {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required: [...required] }),
    additionalProperties: false,
  };
}
