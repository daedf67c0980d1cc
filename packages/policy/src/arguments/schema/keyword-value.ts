import { FORMATS } from '../formats.ts';
import { isMembers, KINDS, type Kind, type Shape } from './keywords.ts';

/** Returns why a value does not have the shape that a keyword needs. Null if it has the shape. */
export function shapeFault(shape: Shape, value: unknown): string | null {
  const [fits, wanted] = SHAPES[shape];
  return fits(value) ? null : `must be ${wanted}`;
}

const SHAPES: Readonly<Record<Shape, readonly [fits: (value: unknown) => boolean, wanted: string]>> = {
  anything: [() => true, ''],
  text: [isText, 'a text'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  number: [Number.isFinite, 'a number'],
  'number above 0': [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  count: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number, 0 or more'],
  values: [(value) => Array.isArray(value) && value.length > 0, 'a list of at least one value'],
  'list of values': [Array.isArray, 'a list'],
  types: [isTypes, `one of ${['integer', ...KINDS].join(', ')}, or a list of them without repeats`],
  names: [isNames, 'a list of names without repeats'],
  'names by name': [
    (value) => isMembers(value) && Object.values(value).every(isNames),
    'a list of names for each name',
  ],
  pattern: [isText, 'a pattern, as text'],
  format: [
    (value) => isText(value) && Object.hasOwn(FORMATS, value),
    `one of the known formats: ${Object.keys(FORMATS).join(', ')}. For another format, write a pattern`,
  ],
  reference: [isText, 'a reference, as text: "#/$defs/name"'],
  anchor: [(value) => isText(value) && ANCHOR.test(value), 'a name of letters, digits, -, _ and .'],
  schema: [isSchema, 'a schema: an object, true or false'],
  schemas: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
    'a list of at least one schema',
  ],
  'schemas by name': [isSchemas, 'an object with a schema for each name'],
  'schemas by pattern': [isSchemas, 'an object with a schema for each pattern'],
  'schema or schemas': [
    (value) => isSchema(value) || (Array.isArray(value) && value.length > 0 && value.every(isSchema)),
    'a schema, or a list of schemas',
  ],
  'names or schema by name': [
    (value) =>
      isMembers(value) && Object.values(value).every((member) => isSchema(member) || isNames(member)),
    'an object with a schema, or a list of names, for each name',
  ],
};

const ANCHOR = /^[A-Za-z_][A-Za-z0-9._-]*$/;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isMembers(value);
}

function isSchemas(value: unknown): boolean {
  return isMembers(value) && Object.values(value).every(isSchema);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && isWithoutRepeats(value);
}

function isTypes(value: unknown): boolean {
  const types: unknown = Array.isArray(value) ? value : [value];
  return Array.isArray(types) && types.length > 0 && types.every(isType) && isWithoutRepeats(types);
}

function isWithoutRepeats(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

export type Type = Kind | 'integer';

function isType(value: unknown): value is Type {
  return value === 'integer' || KINDS.some((kind) => kind === value);
}

/** Returns the types that a schema names. Null if the schema names no types, or invalid types. */
export function typesOf(type: unknown): readonly Type[] | null {
  if (!isTypes(type)) return null;
  return Array.isArray(type) ? type : [type as Type];
}

export function kindOfType(type: Type): Kind {
  return type === 'integer' ? 'number' : type;
}
