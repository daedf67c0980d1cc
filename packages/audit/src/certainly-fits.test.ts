import { readdirSync, readFileSync } from 'node:fs';
import { readDecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { certainlyFits } from './certainly-fits.ts';
import type { Recorded } from './recorded.ts';
import { controlEventRow, controlEventRowOf } from './rows/control-event-row.ts';
import { decisionRow, decisionRowOf } from './rows/decision-row.ts';
import { settlementRow, settlementRowOf } from './rows/settlement-row.ts';

const EXAMPLES = new URL('../../../schemas/examples/v1/', import.meta.url);

function inTable(schema: z.ZodObject, row: object) {
  return { schema, row: schema.parse(row) };
}

/** Each example record of the decisions topic, as a row of the decisions table. */
const rows = readdirSync(EXAMPLES)
  .filter((name) => /^(action\.(decided|settled)|agent\.killed|budget|approval|ledger)\./.test(name))
  .map((name) => {
    const value = readFileSync(new URL(name, EXAMPLES));
    const record = readDecisionsRecord(value);
    const recorded = <R>(of: R): Recorded<R> => ({
      ...{ record: of, value, void: false, recordedAtMs: 1_700_000_000_000, traceId: null },
      position: { topic: 'mandate.decisions.v1', partition: 3, offset: 17 },
    });
    if (record.event === 'action.decided')
      return inTable(decisionRow, decisionRowOf(recorded(record.decision)));
    if (record.event === 'action.settled')
      return inTable(settlementRow, settlementRowOf(recorded(record.settlement)));
    return inTable(controlEventRow, controlEventRowOf(recorded(record)));
  });

/** Random times, in the format of the records and in the format of the ClickHouse columns. */
const time = fc
  .tuple(fc.integer({ min: 1960, max: 2270 }), fc.integer({ min: 0, max: 31_535_999_999 }))
  .map(([year, ms]) => new Date(Date.UTC(year, 0, 1) + ms).toISOString());
const value = fc.oneof(
  time,
  time.map((utc) => utc.replace('Z', '+00:00')),
  time.map((utc) => utc.replace(/\.\d+Z/, 'Z')),
  fc.integer({ min: -1, max: 2 ** 33 }),
  fc.constantFrom(
    -0.5,
    Number.NaN,
    2 ** 53,
    -(2 ** 53) + 1,
    '',
    '2026-02-30T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    'succeeded',
    null,
    undefined,
    true,
    [],
    ['a'],
    [1],
  ),
);

test('accepts the rows of all example records without asking the schema', () => {
  for (const { schema, row } of rows) expect(certainlyFits(schema)(row)).toBe(true);
  expect(rows.length).toBeGreaterThan(20);
});

test('accepts only rows that the schema accepts unchanged', () => {
  let fitting = 0;
  const changed = fc.constantFrom(...rows).chain((table) => {
    const column = fc.constantFrom(...Object.keys(table.schema.shape), 'none');
    return fc.tuple(fc.constant(table), column, value);
  });
  fc.assert(
    fc.property(changed, ([{ schema, row }, column, other]) => {
      const made = { ...row, [column]: other };
      if (!certainlyFits(schema)(made)) return;
      fitting += 1;
      expect(schema.parse(made)).toEqual(made);
    }),
    { numRuns: 3_000 },
  );
  expect(fitting).toBeGreaterThan(200);
});

test.each([
  ['a text with a pattern', z.string().regex(/a/), 'a'],
  ['a text that is trimmed', z.string().trim(), ' a'],
  ['a count above a bound', z.int().gt(1), 2],
  ['a fraction', z.number(), 1],
  ['a list with a limit', z.array(z.string()).max(2), ['a']],
  ['a row with a rule over its columns', z.strictObject({ a: z.int() }).refine(() => true), { a: 1 }],
  ['a column of another kind', z.strictObject({ a: z.null() }), { a: null }],
])('cannot decide about %s, so the schema must check the value', (_, schema: z.ZodType, fitting) => {
  expect(schema.safeParse(fitting).success).toBe(true);
  expect(certainlyFits(schema)(fitting)).toBe(false);
});
