/** What the embedded ClickHouse promises by itself, and what our way of using it must guard against. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuditClient, openEmbeddedAudit } from './index.ts';

let path: string;
let audit: AuditClient | null = null;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'mandate-audit-'));
});
afterEach(async () => {
  await audit?.close();
  audit = null;
  rmSync(path, { recursive: true });
});

async function open(): Promise<AuditClient> {
  audit = await openEmbeddedAudit({ path });
  return audit;
}

/** Another process that inserts; resolves once it did so `batches` times. */
async function writer(batches: number): Promise<{ child: ChildProcess; acknowledged: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'system/embedded-writer.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    batches -= 1;
    if (batches === 0) break;
  }
  return { child, acknowledged };
}

test('text from outside reaches SQL as a value, whatever it holds', async () => {
  const client = await open();
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

test('rows come back as they went in, quotes, semicolons and line breaks included', async () => {
  const client = await open();
  await client.command('CREATE TABLE t (n UInt64, text String) ENGINE = MergeTree ORDER BY n');
  const rows = Array.from({ length: 1_201 }, (_, n) => ({ n, text: `'";\nFORMAT CSV\\ ${'x'.repeat(n)}` }));
  await client.insert('t', rows);
  expect(await client.query('SELECT n, text FROM t ORDER BY n', {}, z.looseObject({}))).toEqual(rows);
});

test('integers are exact, and one that JavaScript cannot hold is an error', async () => {
  const client = await open();
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

test('a row with a field that no column takes is refused, never stored in part', async () => {
  const client = await open();
  await client.command('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n');
  await expect(client.insert('t', [{ n: 1 }, { n: 2, m: 3 }])).rejects.toMatchObject({
    code: 'AUDIT_ROW_REFUSED',
  });
  expect(await client.query('SELECT count() AS n FROM t', {}, z.object({ n: z.int() }))).toEqual([{ n: 0 }]);
});

test('what is not the fault of a row may be tried again', async () => {
  const client = await open();
  await expect(client.insert('missing', [{ n: 1 }])).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    retryable: true,
  });
  await client.close();
  await expect(client.ping()).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE', retryable: true });
});

test('the event loop goes on while ClickHouse works', async () => {
  const client = await open();
  let turns = 0;
  const pulse = setInterval(() => {
    turns += 1;
  }, 1);
  await client.query('SELECT sum(sleepEachRow(0.01)) AS n FROM numbers(60)', {}, z.object({ n: z.int() }));
  clearInterval(pulse);
  // One that waits for the answer has none or one; even a busy machine gives it more in 600 ms.
  expect(turns).toBeGreaterThan(5);
});

test('killed in the middle of inserts, it keeps whole inserts, all that were acknowledged, and opens at once', async () => {
  for (let round = 1; round <= 4; round += 1) {
    const { child, acknowledged } = await writer(5 + round);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const client = await open();
    const [kept] = await client.query(
      'SELECT count() AS rows, max(batch) AS batch FROM pulses FINAL',
      {},
      z.object({ rows: z.int(), batch: z.int() }),
    );
    expect(kept?.batch).toBeGreaterThanOrEqual(acknowledged);
    expect(kept?.rows).toBe((kept?.batch ?? 0) * 200);
    await client.close();
  }
});

test('a directory in use by another process is refused, by name of the process', async () => {
  const { child } = await writer(1);
  try {
    await expect(open()).rejects.toMatchObject({
      code: 'AUDIT_LOCKED',
      message: expect.stringContaining(`${child.pid}`),
    });
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await (await open()).ping();
});

test('a second directory in one process is refused, and the first goes on', async () => {
  const client = await open();
  await expect(openEmbeddedAudit({ path: join(path, 'second') })).rejects.toMatchObject({
    code: 'AUDIT_NOT_OPENED',
  });
  await client.ping();
});
