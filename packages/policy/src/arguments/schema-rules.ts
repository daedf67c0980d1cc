import { pointerStep } from '@mandate/schemas/core';
import type { StepBudget } from '../step-budget.ts';
import { type ArgumentFault, describeSeen, shorten } from './argument-fault.ts';
import { endlessRoom } from './pattern-size.ts';
import { checkSchema } from './schema/check-schema.ts';
import { compileSchema } from './schema/compile-schema.ts';
import type { Dialect } from './schema/keywords.ts';
import { type Check, Run } from './schema/run.ts';
import type { SchemaFault } from './schema/schema-place.ts';
import { schemaTooLarge } from './schema-shape.ts';

/** A schema that can check arguments, or all its faults. Each fault has the path to its place in the schema. */
export type CompiledSchemaRules =
  | {
      readonly ok: true;
      readonly patternSize: number;
      validate(args: unknown, stepBudget: StepBudget): ArgumentFault | null;
    }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] };

type Schema = Readonly<Record<string, unknown>>;

/**
 * Compiles a JSON Schema: draft 2020-12, or draft-07 if `$schema` names it. These are faults: unknown keywords and
 * formats, limits without the `type` that they limit (any other type would pass), and keywords without effect.
 * References stay within the schema; nothing is fetched. Patterns run in linear time; look-around and back-references
 * are faults.
 *
 * @param room the total size that its patterns may have; their sizes are subtracted
 */
export function compileSchemaRules(schema: Schema, room: StepBudget = endlessRoom()): CompiledSchemaRules {
  const tooLarge = schemaTooLarge(schema);
  if (tooLarge !== null) return { ok: false, faults: [{ path: [], message: tooLarge }] };
  const dialect = dialectOf(schema.$schema);
  if (dialect === null) {
    const message = `$schema names a dialect that is not known here; known: ${Object.keys(DIALECTS).join(', ')}`;
    return { ok: false, faults: [{ path: ['$schema'], message }] };
  }
  const { $id, $schema: _, ...body } = schema;
  if ($id !== undefined && typeof $id !== 'string') {
    return { ok: false, faults: [{ path: ['$id'], message: '$id must be a text' }] };
  }
  const checked = checkSchema(body, { dialect, id: $id ?? null, room });
  if (!checked.ok) return checked;
  const check = compileSchema(checked);
  let patternSize = 0;
  for (const { size } of checked.patterns.values()) patternSize += size;
  return { ok: true, patternSize, validate: (args, stepBudget) => judge(check, args, stepBudget) };
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema#': 'draft-07',
};

function dialectOf(named: unknown): Dialect | null {
  if (named === undefined) return '2020-12';
  if (typeof named !== 'string') return null;
  // Removes the scheme and an empty fragment from the name of a dialect, because authors write it with http or https,
  // with or without `#`.
  const bare = (uri: string) => uri.replace(/#$/, '').replace(/^https?:/, '');
  return Object.entries(DIALECTS).find(([uri]) => bare(uri) === bare(named))?.[1] ?? null;
}

function judge(check: Check, args: unknown, stepBudget: StepBudget): ArgumentFault | null {
  const run = new Run(stepBudget);
  try {
    if (check(args, run, null)) return null;
    const pointer = run.steps.reverse().map(pointerStep).join('');
    return { pointer, expected: shorten(run.expected, 200), seen: describeSeen(run.found), rule: 'schema' };
  } catch (error) {
    // Arguments are refused if they cannot be checked completely.
    const reason = error instanceof Error ? error.message : String(error);
    const expected = shorten(`arguments that the schema can judge (${reason})`, 200);
    return { pointer: '', expected, seen: describeSeen(args), rule: 'schema' };
  }
}
