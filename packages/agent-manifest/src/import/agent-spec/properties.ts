/** The inputs and outputs of components: lists of JSON Schemas, each named by its `title`. */
import type { ImportFields } from '../import-fields.ts';
import { isMap, type Json, type JsonMap } from '../json-value.ts';
import { objectSchema } from '../schemas-of-file.ts';

export type Property = { name: string; schema: JsonMap; hasDefault: boolean };

export function propertiesOf(fields: ImportFields, name: string): Property[] {
  return (fields.list(name) ?? []).flatMap((value, at) => {
    const title = isMap(value) ? value.title : undefined;
    if (isMap(value) && typeof title === 'string' && title !== '')
      return [{ name: title, schema: value, hasDefault: Object.hasOwn(value, 'default') }];
    fields.notes.fault(
      'TYPE_WRONG',
      fields.file,
      [...fields.at(name), at],
      'must be a JSON Schema with a title',
    );
    return [];
  });
}

/** Returns properties as a map of names to schemas. Null if there are no properties. */
export function schemasByName(properties: readonly Property[]): Record<string, Json> | null {
  return properties.length === 0
    ? null
    : Object.fromEntries(properties.map(({ name, schema }) => [name, { ...schema }]));
}

/** Returns the schema of the arguments of a tool with these inputs. */
export function parametersOf(inputs: readonly Property[]): Record<string, Json> {
  return objectSchema(
    inputs.map(({ name, schema }) => [name, { ...schema }] as const),
    inputs.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name),
  );
}
