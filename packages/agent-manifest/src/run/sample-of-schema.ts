/** Makes a value that a JSON Schema is likely to accept, for runs without models. */
import type { Json } from '@mandate/schemas';

type Schema = Readonly<Record<string, unknown>>;

const DEEPEST = 20;

/** A stated default, constant, example or choice is preferred. */
export function sampleOfSchema(schema: unknown, depth = 0): Json {
  if (!isObject(schema) || depth > DEEPEST) return null;
  const { default: otherwise, const: constant, examples, enum: choices, type } = schema;
  const stated = [otherwise, constant, first(examples), first(choices)].find((value) => value !== undefined);
  if (stated !== undefined) return structuredClone(stated) as Json;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return sampleOfObject(schema, depth);
    case 'array':
      return sampleOfArray(schema, depth);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'mocked'.padEnd(lengthOf(schema), '.');
  }
}

function sampleOfObject({ properties, required }: Schema, depth: number): Json {
  const members = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(
    names.map((name) => [name, sampleOfSchema(Object.hasOwn(members, name) ? members[name] : {}, depth + 1)]),
  );
}

const MOST_ITEMS = 100;

function sampleOfArray({ items, minItems }: Schema, depth: number): Json {
  const length = typeof minItems === 'number' ? Math.min(minItems, MOST_ITEMS) : 0;
  return Array.from({ length }, () => sampleOfSchema(items, depth + 1));
}

function numberOf({ minimum, maximum, exclusiveMinimum }: Schema): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(0, maximum) : 0;
}

const MOST_LETTERS = 10_000;

function lengthOf({ minLength }: Schema): number {
  return typeof minLength === 'number' ? Math.min(minLength, MOST_LETTERS) : 0;
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
