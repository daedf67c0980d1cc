/** Tests what a statement does and how it fails. These tests use no table of the audit. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { AuditClient } from '../index.ts';
import type { AuditUnderTest, MakeAudit } from './audit-under-test.ts';

export function statements(make: MakeAudit): void {
  let place: AuditUnderTest;
  let client: AuditClient;

  beforeEach(async () => {
    place = await make();
    client = await place.open();
  });
  afterEach(async () => {
    await client.close();
    await place.dispose();
  });

  test('passes text from outside to SQL as a value, whatever it contains', async () => {
    const hostile = [
      "it's",
      'back\\slash',
      '\\N',
      'null',
      'new\nline\ttab',
      '{a:String}',
      '\0',
      "'; DROP TABLE x --",
      'é✓😀',
      '',
    ];
    for (const text of hostile) {
      const rows = await client.query(
        'SELECT {text:String} AS text, {list:Array(String)} AS list',
        { text, list: [text, 'b'] },
        z.object({ text: z.string(), list: z.array(z.string()) }),
      );
      expect(rows).toEqual([{ text, list: [text, 'b'] }]);
    }
  });

  test('returns rows unchanged, with quotes, semicolons and line breaks', async () => {
    await client.command('CREATE TABLE t (n UInt64, text String) ENGINE = MergeTree ORDER BY n');
    const rows = Array.from({ length: 1_201 }, (_, n) => ({ n, text: `'";\nFORMAT CSV\\ ${'x'.repeat(n)}` }));
    await client.insert('t', rows);
    expect(await client.query('SELECT n, text FROM t ORDER BY n', {}, z.looseObject({}))).toEqual(rows);
  });

  test('returns exact integers, and fails for an integer that JavaScript cannot hold', async () => {
    const row = z.object({ n: z.int() });
    expect(await client.query('SELECT toInt64(9007199254740991) AS n', {}, row)).toEqual([
      { n: 9_007_199_254_740_991 },
    ]);
    for (const sum of ['toInt64(9007199254740991) + 1', 'toInt128(9223372036854775807) * 2']) {
      await expect(client.query(`SELECT ${sum} AS n`, {}, row)).rejects.toMatchObject({
        code: 'AUDIT_ANSWER_UNEXPECTED',
      });
    }
  });

  test('rejects a row if one of its fields has no column, and stores no part of the row', async () => {
    await client.command('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n');
    await expect(client.insert('t', [{ n: 1 }, { n: 2, m: 3 }])).rejects.toMatchObject({
      code: 'AUDIT_ROW_REFUSED',
    });
    expect(await client.query('SELECT count() AS n FROM t', {}, z.object({ n: z.int() }))).toEqual([
      { n: 0 },
    ]);
  });

  test('fails with a retryable error if no row is at fault', async () => {
    await expect(client.insert('missing', [{ n: 1 }])).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
    });
    await client.close();
    await expect(client.ping()).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE', retryable: true });
  });

  test('leaves the event loop free while ClickHouse works', async () => {
    let turns = 0;
    const pulse = setInterval(() => {
      turns += 1;
    }, 1);
    await client.query('SELECT sum(sleepEachRow(0.01)) AS n FROM numbers(60)', {}, z.object({ n: z.int() }));
    clearInterval(pulse);
    // If a call blocked the event loop, the timer would fire at most once. Even a busy machine lets it fire more than
    // five times in 600 ms.
    expect(turns).toBeGreaterThan(5);
  });

  test('waits for running statements when it closes, and then refuses new ones', async () => {
    const slow = client.query(
      'SELECT sum(sleepEachRow(0.01)) + 1 AS n FROM numbers(20)',
      {},
      z.object({ n: z.int() }),
    );
    await client.close();
    expect(await slow).toEqual([{ n: 1 }]);
    const late = [client.ping(), client.insert('t', [{ n: 1 }]), client.command('SELECT 1')];
    const refused = { status: 'rejected', reason: { code: 'AUDIT_UNAVAILABLE' } };
    expect(await Promise.allSettled(late)).toMatchObject(late.map(() => refused));
  });
}
