/**
 * What the API's documents say about a field. The description stands beside the field's schema and nowhere else: OpenAPI, the
 * JSON Schema files and AsyncAPI are made from it. A test fails for a field without a sentence or without an example.
 */
import type { z } from 'zod';

/**
 * Returns the schema with a description and examples.
 *
 * @param description what the field holds: its unit, who sets it, and what null or absence means
 * @param examples values that the schema accepts; an enum, a literal and an object of described fields need none
 */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  ...examples: z.input<Schema>[]
): Schema {
  return schema.meta(examples.length === 0 ? { description } : { description, examples }) as Schema;
}
