/**
 * Tests exports of tables as files. The rows in the files must equal the answers of the audit, in every part and
 * every format.
 */
import { buffer } from 'node:stream/consumers';
import { csvText, type Decision } from '@mandate/schemas';
import { byLength, textOfCsv } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { arbitraryHistory, decisionOf, recordedDecision } from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  EXPORTS,
  type Exportable,
  exportPart,
  recordDecisions,
  recordSettlements,
  searchDecisions,
  searchSettlements,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

export function exporting(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  type Row = Record<string, unknown>;

  /** Reads CSV as in RFC 4180. */
  function csvRows(text: string): Row[] {
    const lines: string[][] = [[]];
    for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
      lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
      if (end === '\r\n') lines.push([]);
    }
    const [names = [], ...rows] = lines.slice(0, -1);
    return rows.map((values) => Object.fromEntries(names.map((name, at) => [name, values[at]])));
  }

  const ndjsonRows = (text: string): Row[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

  /** Exports a table in parts of at most this many rows, and returns all parts. */
  async function parts(
    of: Exportable,
    tenant: string,
    rows: number,
    format: 'ndjson' | 'csv',
  ): Promise<Row[]> {
    const all: Row[] = [];
    let after: string | undefined;
    for (;;) {
      const [part] = await ask(audit, EXPORTS[of].part, { tenant, after, rows });
      if (part?.lastId == null) return all;
      const bytes = await buffer(
        await exportPart(audit, of, { tenant, after, through: part.lastId }, { format }),
      );
      const read = format === 'csv' ? csvRows(bytes.toString()) : ndjsonRows(bytes.toString());
      expect(read).toHaveLength(part.rows);
      expect([read[0]?.id, read.at(-1)?.id]).toEqual([part.firstId, part.lastId]);
      all.push(...read);
      after = part.lastId;
    }
  }

  let runs = 0;

  test('exports the same rows that the search finds, oldest first, even if there are repeats and void rows', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(), fc.integer({ min: 1, max: 30 }), async (historyOf, rows) => {
        runs += 1;
        const tenant = `export-${runs}`;
        const history = historyOf(tenant);
        await recordDecisions(audit, history.decisions);
        await recordSettlements(audit, history.settlements);
        const decisions = await ask(audit, searchDecisions, { tenant, limit: 1_000 });
        const settlements = await ask(audit, searchSettlements, { tenant, limit: 1_000 });
        expect(await parts('decisions', tenant, rows, 'ndjson')).toEqual(decisions.toReversed());
        expect(await parts('settlements', tenant, rows, 'ndjson')).toEqual(settlements.toReversed());
        const inCsv = await parts('decisions', tenant, rows, 'csv');
        expect(inCsv.map(({ id, chargedMicros }) => [id, Number(chargedMicros)])).toEqual(
          decisions.toReversed().map(({ id, chargedMicros }) => [id, chargedMicros]),
        );
      }),
      { numRuns: byLength({ short: 2, full: 5 }) },
    );
  });

  test('keeps every text in CSV, and writes no cell as a formula', async () => {
    const signs = fc.sample(
      fc.string({
        unit: fc.constantFrom(...'=+-@＝﹣;,\t\r\n\v|" \'aü\u00a0\ufeff\0'),
        minLength: 1,
        maxLength: 8,
      }),
      { numRuns: 300, seed: 1 },
    );
    const texts = [
      '=1+1',
      'x;=1+1',
      '\tx',
      "'=1",
      'a "b", c',
      'two\r\nlines',
      'zwölf ✓',
      ...signs,
      "the last one's",
    ];
    const names = texts.map((text) => text.replace(/[\s]/g, '_'));
    await recordDecisions(
      audit,
      texts.map((reason, n) => {
        const name = names[n] ?? '';
        const shadow: Decision['shadow'] = {
          ...{ verdict: 'ALLOW', code: 'ALLOWED', unknownLimits: 0 },
          ...{ rules: [name], policies: [] },
        };
        return recordedDecision({ ...decisionOf('csv', n), reason, tool: name, shadow }, n);
      }),
    );
    const rows = csvRows(
      (await buffer(await exportPart(audit, 'decisions', { tenant: 'csv' }, { format: 'csv' }))).toString(),
    );
    expect(rows.map(({ reason }) => reason)).toEqual(texts.map(csvText));
    expect(rows.map(({ reason }) => textOfCsv(String(reason)))).toEqual(texts);
    expect(rows.map(({ tool }) => tool)).toEqual(names.map(csvText));
    expect(rows.map(({ shadowRules }) => shadowRules)).toEqual(
      names.map((name) => csvText(JSON.stringify([name]))),
    );
    expect(rows[0]).toMatchObject({
      model: '',
      policies: '[]',
      chargedMicros: '100000',
      appendedAt: expect.stringMatching(/^2026-.*Z$/),
    });
  });

  test('guards every text column and every list column against formulas in CSV', async () => {
    for (const of of Object.keys(EXPORTS) as Exportable[]) {
      const sql = EXPORTS[of].sql({ tenant: 'csv' }, 'ndjson');
      const row = z.object({ name: z.string(), type: z.string() });
      const columns = await audit.query(`DESCRIBE (${sql})`, { tenant: 'csv' }, row);
      const ofText = columns.filter(({ type }) => /String|Array/.test(type)).map(({ name }) => name);
      expect(ofText.toSorted()).toEqual([...EXPORTS[of].guarded].toSorted());
    }
  });

  test('makes a file without rows if nothing is found', async () => {
    const whole = async (format: 'ndjson' | 'csv' | 'parquet') =>
      (await buffer(await exportPart(audit, 'decisions', { tenant: 'nobody' }, { format }))).toString(
        'latin1',
      );
    expect(await whole('ndjson')).toBe('');
    expect(await whole('csv')).toMatch(/^"id","kind",.*\r\n$/);
    expect(await whole('parquet')).toMatch(/^PAR1.*PAR1$/s);
    expect(await ask(audit, EXPORTS.decisions.part, { tenant: 'nobody', rows: 1 })).toEqual([
      { rows: 0, firstId: null, lastId: null },
    ]);
  });

  test('exports no control events of a tenant that has none, and filters the rows of a part', async () => {
    expect(await parts('control-events', 'export-1', 10, 'csv')).toEqual([]);
    const [one] = await ask(audit, searchDecisions, { tenant: 'csv', limit: 1 });
    const narrowed = { tenant: 'csv', text: "LAST ONE'", after: 'dec_0', through: one?.id };
    expect(
      ndjsonRows(
        (await buffer(await exportPart(audit, 'decisions', narrowed, { format: 'ndjson' }))).toString(),
      ),
    ).toEqual([one]);
  });
}
