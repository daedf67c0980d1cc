import type { ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INSERT_BYTES, INSERT_ROWS, overClickHouse } from './clickhouse.ts';

/** Keeps what it is told, and is content with everything. */
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

test('no insert is longer than allowed, in rows or in bytes, and every row is in one, in order', async () => {
  const size = fc.oneof(
    { weight: 5, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.integer({ min: INSERT_BYTES / 8, max: INSERT_BYTES / 2 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 60 }), fc.nat(2 * INSERT_ROWS + 1), async (sizes, small) => {
      const rows = [...sizes, ...Array.from({ length: small }, () => 1)].map((length, n) => ({
        n,
        // Three bytes a character, so that characters do not do for bytes.
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

test('a row that is longer than an insert may be goes alone', async () => {
  const { inserts, client } = listener();
  const rows = [1, INSERT_BYTES + 1, 1].map((length) => ({ text: 'x'.repeat(length) }));
  await overClickHouse(client, { settingsIn: 'text' }).insert('t', rows);
  expect(inserts.map((lines) => lines.length)).toEqual([1, 1, 1]);
});
