/**
 * The schemas of inputs, outputs and state. A manifest writes them as a JSON Schema, or as a map of names to schemas.
 */
import { compileArgumentRules, NO_SUCH_FIELD, NOTHING } from '@mandate/policy';
import type { Json } from '@mandate/schemas';
import { CAPS } from '@mandate/schemas/core';

type Side = Readonly<Record<string, unknown>>;

export type SideSchema = {
  /** The whole value as a JSON Schema of type object. */
  schema: Side;
  /** The schemas of the members, by name. */
  members: Side;
  /** Returns the fault of a value, as a sentence. Null: there is none. */
  faultOf(value: Json): string | null;
};

/**
 * @param required `inputs`: each name without a default is required. `all`: each name is required. `none`: no name is
 *   required. The parameter applies only to a map of names, because a JSON Schema itself states its required names
 */
export function sideSchema(written: Side, required: 'inputs' | 'all' | 'none'): SideSchema {
  const schema = isJsonSchema(written) ? written : schemaOfMap(written, required);
  const { properties } = schema;
  return {
    schema,
    members: isObject(properties) ? properties : {},
    faultOf: (value) => faultOf(schema, value, required === 'inputs' ? 'input' : 'field'),
  };
}

/** True if the side is written as a JSON Schema: `type` is the word object, or `$schema` is a text. */
function isJsonSchema({ type, $schema }: Side): boolean {
  return type === 'object' || typeof $schema === 'string';
}

function schemaOfMap(map: Side, required: 'inputs' | 'all' | 'none'): Side {
  const names = Object.keys(map).filter((name) => {
    if (required !== 'inputs') return required === 'all';
    const member = map[name];
    return !(isObject(member) && Object.hasOwn(member, 'default'));
  });
  return { type: 'object', properties: map, required: names, additionalProperties: false };
}

/** Returns the value with the defaults of absent members. */
export function withDefaults({ members }: SideSchema, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const filled: Record<string, Json> = { ...value };
  for (const [name, member] of Object.entries(members)) {
    if (Object.hasOwn(value, name) || !isObject(member) || !Object.hasOwn(member, 'default')) continue;
    Object.defineProperty(filled, name, {
      value: structuredClone(member.default) as Json,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return filled;
}

/**
 * Returns what is wrong with a value under a JSON Schema.
 *
 * @param member what a member of the whole is called
 */
export function faultOf(schema: unknown, value: Json, member: 'input' | 'field' = 'field'): string | null {
  if (schema === true) return null;
  if (schema === false || !isObject(schema)) return 'no value is accepted';
  const compiled = compileArgumentRules({ schema });
  if (!compiled.ok) return `the schema cannot be used: ${compiled.faults[0]?.message ?? 'unknown'}`;
  const stepBudget = { left: CAPS.stepsPerAction };
  const fault = compiled.validate(value, stepBudget);
  if (stepBudget.left < 0) return 'checking the value needs too much work';
  if (fault === null) return null;
  return inWords(fault, member);
}

function inWords(
  { pointer, expected, seen }: { pointer: string; expected: string; seen: string },
  member: string,
): string {
  const name = pointer === '' ? 'the whole' : pointer;
  const isOfWhole = pointer.lastIndexOf('/') === 0;
  if (expected === NO_SUCH_FIELD) return `${name} is not a known ${isOfWhole ? member : 'field'}`;
  if (expected.startsWith(`${NO_SUCH_FIELD}, but `))
    return `the name of ${name} must be ${expected.slice(`${NO_SUCH_FIELD}, but `.length)}`;
  if (seen === NOTHING) return `${name} is missing`;
  return `${name} must be ${expected}, and is ${seen}`;
}

function isObject(value: unknown): value is Side {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
