import type { z } from 'zod';
import { CONFIG_PREFIX } from './config-prefix.ts';
import { settingShapes } from './setting-shape.ts';

/**
 * A row of the table in the docs. `default` is empty if there is none. `required` means that a value must be given.
 */
export type ConfigRow = {
  name: string;
  type: string;
  default: string;
  required: boolean;
  secret: boolean;
  description: string;
};

/**
 * Returns the documentation of a config schema, in the schema's order, from the same schema that reads the settings.
 */
export function describeConfig(schema: z.ZodObject): ConfigRow[] {
  return [...settingShapes(schema).values()].map((shape) => ({
    name: CONFIG_PREFIX + shape.key,
    type: shape.type,
    default: shape.secret ? '' : defaultText(shape.default),
    required: shape.required,
    secret: shape.secret,
    description: shape.description,
  }));
}

function defaultText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
