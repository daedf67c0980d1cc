/**
 * Runs the conformance suite of the CEL specification, except tests that need variables of other names, protobuf
 * messages or extensions of the language. Such expressions are refused before they run.
 */

import { tests as suite } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { textOfDuration, textOfTimestamp } from './calendar.ts';
import { compileExpression } from './compile-expression.ts';
import { expressionsOn } from './run-expressions.ts';
import { isA, isFailure, type Result, type Value } from './values.ts';

/**
 * These tests have another result on purpose: a time zone is UTC or an offset, because the rules of named zones differ
 * between machines.
 */
const ZONES_BY_NAME = [
  'getDate',
  'getDayOfMonth_name_pos',
  'getDayOfMonth_name_neg',
  'getDayOfYear',
  'getMinutes',
];

const SECTIONS = [
  'basic',
  'comparisons',
  'conversions',
  'dynamic',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'parse',
  'plumbing',
  'string',
  'timestamps',
];

const original = z.object({
  name: z.string().default(''),
  expr: z.string(),
  value: z.unknown().optional(),
  evalError: z.unknown().optional(),
  anyEvalErrors: z.unknown().optional(),
  bindings: z.unknown().optional(),
  container: z.unknown().optional(),
  typeEnv: z.unknown().optional(),
  typedResult: z.object({ result: z.unknown().optional() }).optional(),
});
type Original = z.infer<typeof original>;

function testsIn(
  { suites = [], tests = [] }: SerializedIncrementalTestSuite,
  path: string,
): [string, Original][] {
  const own = tests.map((one): [string, Original] => {
    const read = original.parse(one.original);
    return [`${path}/${read.name}`, read];
  });
  return [...own, ...suites.flatMap((inner) => testsIn(inner, `${path}/${inner.name}`))];
}

/** Writes a value in the form of the suite. The entries of maps are sorted, because maps have no order. */
function written(result: Result): unknown {
  if (isFailure(result)) return 'an error';
  if (result === null) return { nullValue: null };
  if (typeof result === 'boolean') return { boolValue: result };
  if (typeof result === 'bigint') return { int64Value: String(result) };
  if (typeof result === 'string') return { stringValue: result };
  if (typeof result === 'number') return { doubleValue: Number.isFinite(result) ? result : String(result) };
  if (result instanceof Uint8Array) return { bytesValue: Buffer.from(result).toString('base64') };
  if (isA(result, 'uint')) return { uint64Value: String(result.value) };
  if (isA(result, 'type')) return { typeValue: result.name };
  if (isA(result, 'list')) return { listValue: filledIn('values', result.items.map(written)) };
  if (isA(result, 'timestamp')) return message('Timestamp', textOfTimestamp(result));
  if (isA(result, 'duration')) return message('Duration', textOfDuration(result));
  const entries = result.keys().map((key) => ({ key: written(key), value: written(at(result, key)) }));
  return { mapValue: filledIn('entries', entries) };
}

function at(map: Extract<Value, { is: 'map' }>, key: Value): Value {
  return map.get(key) ?? null;
}

function filledIn(name: string, items: readonly unknown[]): object {
  return items.length === 0 ? {} : { [name]: items };
}

function message(name: string, value: string): object {
  return { objectValue: { '@type': `type.googleapis.com/google.protobuf.${name}`, value } };
}

const inSections = SECTIONS.flatMap((section) => {
  const found = (suite.suites ?? []).find(({ name }) => name === section);
  if (found === undefined) throw new Error(`the suite has no section ${section}`);
  return testsIn(found, section);
});
const withoutVariables = inSections.filter(
  ([path, { bindings, container, typeEnv }]) =>
    bindings === undefined &&
    container === undefined &&
    typeEnv === undefined &&
    !(path.includes('_tz/') && ZONES_BY_NAME.some((name) => path.endsWith(`/${name}`))),
);
const cases = withoutVariables.filter(([, { expr }]) => !('fault' in compileExpression(expr)));

test('most of the suite is run', () => {
  expect(withoutVariables.length).toBeGreaterThan(1_050);
  expect(cases.length).toBeGreaterThan(950);
});

test.each(cases)('%s', (path, { expr, value, evalError, anyEvalErrors, typedResult }) => {
  const isError = evalError !== undefined || anyEvalErrors !== undefined;
  const expected = isError ? 'an error' : (value ?? typedResult?.result ?? { boolValue: true });
  const result = written(expressionsOn({}).resultOf(expr));
  expect(path.endsWith('eval_map_results') ? sorted(result) : result).toEqual(
    path.endsWith('eval_map_results') ? sorted(expected) : expected,
  );
});

function sorted(value: unknown): unknown {
  return JSON.stringify(value).split(/[{}]/).sort();
}
