import { pointerStep } from '@mandate/schemas';
import { MissingRefError } from 'ajv';
import { type Effort, effortOfAction } from '../effort.ts';
import { type ArgumentFault, describeSeen, shorten } from './argument-fault.ts';
import { endlessRoom } from './pattern-size.ts';
import { PatternRefused } from './pattern-to-re2.ts';
import { type CompiledSchema, type SchemaEngine, type SchemaError, schemaEngine } from './schema-engine.ts';
import { findInSchema, schemaTooLarge } from './schema-shape.ts';

/** A schema ready to judge arguments, or what keeps it from being one and where in it. */
export type CompiledSchemaRules =
  | {
      readonly ok: true;
      readonly patternSize: number;
      validate(args: unknown, effort: Effort): ArgumentFault | null;
    }
  | { readonly ok: false; readonly message: string; readonly path: readonly (string | number)[] };

type Schema = Readonly<Record<string, unknown>>;

/**
 * Compiles a JSON Schema: draft 2020-12, or draft-07 if `$schema` names it. Strict: unknown keywords and formats, and
 * limits without the `type` they limit (which would let any other type pass), are errors. References stay within the
 * schema; nothing is fetched. Patterns run in linear time, and look-around or back-references are errors.
 *
 * @param room how large its patterns may be together: they take their own
 */
export function compileSchemaRules(schema: Schema, room: Effort = endlessRoom()): CompiledSchemaRules {
  const tooLarge = schemaTooLarge(schema);
  if (tooLarge !== null) return { ok: false, message: tooLarge, path: [] };
  const engine = engineFor(schema.$schema);
  if (engine === null) {
    const message = `$schema names a dialect that is not read here; known: ${Object.keys(DIALECTS).join(', ')}`;
    return { ok: false, message, path: ['$schema'] };
  }
  // An $id would only make references absolute, and all of them stay within the schema.
  const { $id: _id, $schema: _dialect, ...body } = schema;
  const inner = findInSchema(body, (key, value) => key === '$id' && typeof value === 'string');
  if (inner.length > 0)
    return { ok: false, message: 'a schema within the schema has no $id: use $anchor', path: inner };
  try {
    const compiled = engine.compile(body, room);
    // A schema that chases its own references does so on the smallest value too: better now than at the first call.
    compiled.validate({}, effortOfAction());
    const { patternSize } = compiled;
    return { ok: true, patternSize, validate: (args, effort) => judge(compiled, args, effort) };
  } catch (error) {
    return refusal(body, error);
  }
}

const DIALECTS: Readonly<Record<string, '2020-12' | 'draft-07'>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema#': 'draft-07',
};

const engines = new Map<string, SchemaEngine>();

function engineFor(dialect: unknown): SchemaEngine | null {
  if (dialect !== undefined && typeof dialect !== 'string') return null;
  const named = dialect ?? 'https://json-schema.org/draft/2020-12/schema';
  // With or without the empty fragment, http or https: people write all of them.
  const bare = (uri: string) => uri.replace(/#$/, '').replace(/^https?:/, '');
  const known = Object.entries(DIALECTS).find(([uri]) => bare(uri) === bare(named))?.[1];
  if (known === undefined) return null;
  const engine = engines.get(known) ?? schemaEngine(known);
  engines.set(known, engine);
  return engine;
}

function refusal(schema: Schema, error: unknown): CompiledSchemaRules {
  if (error instanceof PatternRefused) {
    const at = (key: string, value: unknown) => value === error.pattern || key === error.pattern;
    return { ok: false, message: error.message, path: findInSchema(schema, at) };
  }
  if (error instanceof MissingRefError) {
    const at = (key: string, value: unknown) => key === '$ref' && error.missingRef === value;
    const message = `$ref "${error.missingRef}" leads nowhere in this schema, and schemas are never fetched`;
    return { ok: false, message, path: findInSchema(schema, at) };
  }
  return { ok: false, message: error instanceof Error ? error.message : String(error), path: [] };
}

function judge(compiled: CompiledSchema, args: unknown, effort: Effort): ArgumentFault | null {
  try {
    const error = compiled.validate(args, effort);
    return error && faultOf(error);
  } catch (error) {
    // Effort exhausted, or the stack: what cannot be judged is not let through.
    const reason = error instanceof Error ? error.message : String(error);
    const expected = shorten(`arguments that the schema can judge (${reason})`, 200);
    return { pointer: '', expected, seen: describeSeen(args), rule: 'schema' };
  }
}

function faultOf({ pointer, keyword, params, message, data }: SchemaError): ArgumentFault {
  const fault = (at: string, expected: string, seen: unknown) => ({
    pointer: at,
    expected: shorten(expected, 200),
    seen: describeSeen(seen),
    rule: 'schema',
  });
  switch (keyword) {
    case 'required':
      return fault(pointer + pointerStep(String(params.missingProperty)), 'a value', undefined);
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      return fault(pointer + pointerStep(name), 'no field of this name', memberOf(data, name));
    }
    case 'enum':
      return fault(pointer, `one of ${listed(params.allowedValues)}`, data);
    case 'const':
      return fault(pointer, JSON.stringify(params.allowedValue), data);
    default:
      return fault(pointer, message.replace(/^must /, 'to '), data);
  }
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(', ')
    : 'the allowed values';
}

function memberOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null
    ? Object.getOwnPropertyDescriptor(data, name)?.value
    : undefined;
}
