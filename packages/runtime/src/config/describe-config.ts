import type { z } from 'zod';
import { CONFIG_PREFIX } from './config-prefix.ts';
import { settingShapes } from './setting-shape.ts';

/**
 * A row of the settings table in the docs. `default` is empty if the setting has no default. `required` means that
 * the user must set a value.
 */
export type ConfigRow = {
  name: string;
  type: string;
  default: string;
  required: boolean;
  secret: boolean;
  description: string;
};

/** Returns one row of documentation for each setting of a config schema, in the schema's order. */
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
