import { z } from 'zod';

/** The form of one setting, which is needed to read it from text and to document it. */
export type SettingShape = {
  key: string;
  kind: 'number' | 'boolean' | 'list' | 'text';
  /** The type of the elements of a list. */
  of: 'number' | 'boolean' | 'text';
  /** The type in words for people, such as `an integer from 1 to 65535`. */
  type: string;
  default: unknown;
  required: boolean;
  description: string;
  secret: boolean;
};

type JsonSchema = z.core.JSONSchema.BaseSchema;

const KEY = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;

/**
 * Returns the shape of each key of a config schema, in the schema's order. It reads them from the JSON Schema, which
 * is the public description of a zod type.
 */
export function settingShapes(schema: z.ZodObject): Map<string, SettingShape> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const shapes = new Map<string, SettingShape>();
  for (const [key, property] of Object.entries(properties)) {
    if (!KEY.test(key)) throw new TypeError(`setting ${key}: name it <AREA>_<NAME>, with the unit last`);
    const described = typeof property === 'object' ? property : {};
    const element =
      typeof described.items === 'object' && !Array.isArray(described.items) ? described.items : {};
    const of = scalarKind(element);
    shapes.set(key, {
      key,
      kind: described.type === 'array' ? 'list' : scalarKind(described),
      of,
      type:
        described.type === 'array' ? `a comma-separated list of ${plural(element, of)}` : typeText(described),
      default: described.default,
      required: required.includes(key),
      description: described.description ?? '',
      secret: described.secret === true,
    });
  }
  return shapes;
}

function scalarKind({ type }: JsonSchema): 'number' | 'boolean' | 'text' {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('integer') || types.includes('number')) return 'number';
  return types.includes('boolean') ? 'boolean' : 'text';
}

function typeText(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`;
  const kind = scalarKind(schema);
  if (kind === 'boolean') return 'true or false';
  if (kind === 'text') return schema.format === 'uri' ? 'a URL' : 'text';
  return `${schema.type === 'number' ? 'a number' : 'an integer'}${rangeText(schema)}`;
}

function rangeText(schema: JsonSchema): string {
  const from =
    schema.minimum !== undefined
      ? ` from ${schema.minimum}`
      : schema.exclusiveMinimum !== undefined
        ? ` above ${schema.exclusiveMinimum}`
        : '';
  // zod returns the largest safe integer if the schema has no upper limit.
  const to =
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER ? ` to ${schema.maximum}` : '';
  return from + to;
}

function plural(element: JsonSchema, kind: SettingShape['of']): string {
  if (element.enum !== undefined) return element.enum.map(String).join(', ');
  if (element.type === 'integer') return 'integers';
  return { number: 'numbers', boolean: 'booleans', text: 'texts' }[kind];
}
