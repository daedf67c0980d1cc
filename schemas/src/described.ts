/**
 * Adds descriptions to the fields of the API. A field is described only here, beside its schema. OpenAPI, the JSON
 * Schema files and AsyncAPI are made from these descriptions. A test fails if a field has no description or no
 * example.
 */
import type { z } from 'zod';

/**
 * Returns the schema with a description and examples.
 *
 * @param description what the field contains: its unit, who sets it, and the meaning of null or absence
 * @param examples values that the schema accepts; not needed for an enum, a literal and an object of described fields
 */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  ...examples: z.input<Schema>[]
): Schema {
  return schema.meta(examples.length === 0 ? { description } : { description, examples }) as Schema;
}
