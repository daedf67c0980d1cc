import type { ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INSERT_BYTES, INSERT_ROWS, overClickHouse } from './clickhouse.ts';

/** Returns a fake client that accepts everything and remembers what it received. */
function listener() {
  const inserts: string[][] = [];
  const client = {
    command: async ({ query }: { query: string }) => {
      const [, ...lines] = query.split('\n').filter((line) => !line.startsWith('SETTINGS'));
      inserts.push(lines);
    },
  } as unknown as ClickHouseClient;
  return { inserts, client };
}

test('cuts rows into inserts within the limits of rows and bytes, and keeps every row in order', async () => {
  const size = fc.oneof(
    { weight: 5, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.integer({ min: INSERT_BYTES / 8, max: INSERT_BYTES / 2 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 60 }), fc.nat(2 * INSERT_ROWS + 1), async (sizes, small) => {
      const rows = [...sizes, ...Array.from({ length: small }, () => 1)].map((length, n) => ({
        n,
        // Each character has three bytes, so that a count of characters differs from a count of bytes.
        text: '✓'.repeat(length / 3),
      }));
      const { inserts, client } = listener();
      await overClickHouse(client, { settingsIn: 'text' }).insert('t', rows);
      expect(inserts.flat().map((line) => JSON.parse(line).n)).toEqual(rows.map(({ n }) => n));
      for (const lines of inserts) {
        expect(lines.length).toBeLessThanOrEqual(INSERT_ROWS);
        expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(INSERT_BYTES);
      }
    }),
    { numRuns: 20 },
  );
});

test('sends a row that is longer than the limit in its own insert', async () => {
  const { inserts, client } = listener();
  const rows = [1, INSERT_BYTES + 1, 1].map((length) => ({ text: 'x'.repeat(length) }));
  await overClickHouse(client, { settingsIn: 'text' }).insert('t', rows);
  expect(inserts.map((lines) => lines.length)).toEqual([1, 1, 1]);
});
