import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS_DIRECTORY } from '../migrate.ts';
import { readMigrations } from '../migration-files.ts';
import { OTHER_TABLES, TENANT_TABLES } from './tenant-tables.ts';

/** Every table that the migrations create: its columns and its partition key. */
const made = readMigrations(MIGRATIONS_DIRECTORY).flatMap(({ name }) => {
  const text = readFileSync(join(MIGRATIONS_DIRECTORY, name), 'utf8');
  return [...text.matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)\n\(\n(.*?)\n\)\n(.*?);$/gms)].map(
    ([, table = '', columns = '', rest = '']) => ({
      table,
      columns: [...columns.matchAll(/^ {4}([a-z]\w*) /gm)].map(([, column]) => column),
      partition: /^PARTITION BY (.*)$/m.exec(rest)?.[1] ?? null,
    }),
  );
});

test('contains every table, either with a retention rule or with the reason for none', () => {
  expect(made.map(({ table }) => table).sort()).toEqual(
    [...Object.keys(TENANT_TABLES), ...Object.keys(OTHER_TABLES)].sort(),
  );
});

test.each(Object.entries(TENANT_TABLES))(
  'drops rows of %s by columns and partitions that the table has',
  (name, facts) => {
    const table = made.find((one) => one.table === name);
    expect(table?.columns).toContain(facts.at);
    for (const [column] of facts.owner.matchAll(/\b(tenant|source_topic)\b/g))
      expect(table?.columns).toContain(column);
    expect(table?.partition).toBe(facts.hasPartitions ? `toYYYYMM(${facts.at})` : null);
  },
);
