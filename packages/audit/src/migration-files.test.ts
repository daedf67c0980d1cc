import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MandateError } from '@mandate/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MIGRATIONS_DIRECTORY } from './index.ts';
import { readMigrations } from './migration-files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mandate-migrations-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, text = 'SELECT 1;\n') {
  writeFileSync(join(directory, name), text);
}

function codeOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return error instanceof MandateError ? error.code : 'not a MandateError';
  }
}

describe('migration files', () => {
  test('are read in order, each with its checksum and its statements', () => {
    write('0002_add_b.sql', "-- Why; twice;\nCREATE b\n  (x);\nINSERT 'a;b';\n");
    write('0001_add_a.sql');
    write('README.md');
    const [first, second] = readMigrations(directory);
    expect(first).toMatchObject({ number: 1, name: '0001_add_a.sql', statements: ['SELECT 1'] });
    // The sha256sum of "SELECT 1;
    // ".
    expect(first?.checksum).toBe('b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd');
    expect(second?.statements).toEqual(['CREATE b\n  (x)', "INSERT 'a;b'"]);
  });

  test.each([['0001_add_a.sql', '0003_add_c.sql'], ['0002_add_b.sql'], ['0001_add_a.sql', '0001_add_b.sql']])(
    'are rejected if their numbers have a gap or a repeat: %s %s',
    (...names) => {
      for (const name of names) write(name);
      expect(codeOf(() => readMigrations(directory))).toBe('AUDIT_MIGRATION_GAP');
    },
  );

  test.each(['1_add_a.sql', '0001-add-a.sql', '0001_Add_a.sql', '0001_add.sql'])(
    'are rejected for the name %s',
    (name) => {
      write(name);
      expect(codeOf(() => readMigrations(directory))).toBe('AUDIT_MIGRATION_MISNAMED');
    },
  );

  test('of this repository each begin with a comment that gives reasons', () => {
    for (const { name } of readMigrations(MIGRATIONS_DIRECTORY)) {
      const essay = /^(-- ?.*\n)+/.exec(readFileSync(join(MIGRATIONS_DIRECTORY, name), 'utf8'))?.[0] ?? '';
      expect(essay.split('\n').length, name).toBeGreaterThan(4);
      for (const reason of [/key/i, /partition/i, /TTL/]) expect(essay, name).toMatch(reason);
    }
  });
});
