/** The JSON Schema of a parameter of a tool. */
import type { ManifestDocument } from '@mandate/schemas/manifest';

export type Parameter = NonNullable<ManifestDocument['tools']>[number]['params'][string];

export function parameterSchema({ type, min, max, pattern, values, items }: Parameter): object {
  return {
    type,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: { type: items } }),
  };
}
