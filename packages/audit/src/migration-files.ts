/**
 * Reads the migrations of infra/clickhouse/migrations. The name of a file is a number, a verb and a noun. The numbers
 * have no gap.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MandateError } from '@mandate/runtime';

export type Migration = {
  number: number;
  name: string;
  /** SHA-256 of the bytes of the file, in hex. */
  checksum: string;
  statements: readonly string[];
};

const FILE_NAME = /^(\d{4})_[a-z]+_[a-z0-9_]+\.sql$/;

/** @throws MandateError AUDIT_MIGRATION_MISNAMED, AUDIT_MIGRATION_GAP */
export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name, index) => {
    const digits = FILE_NAME.exec(name)?.[1];
    if (digits === undefined) {
      throw new MandateError('AUDIT_MIGRATION_MISNAMED', `${name} is not the name of a migration.`, {
        remedy: 'Name it NNNN_verb_noun.sql: four digits, then lower-case words.',
      });
    }
    if (Number(digits) !== index + 1) {
      throw new MandateError(
        'AUDIT_MIGRATION_GAP',
        `${name} is at the place of migration ${index + 1}. Numbers must run from 0001 without gaps or repeats.`,
        { remedy: 'Restore the missing file, or give the new file the next number.' },
      );
    }
    const text = readFileSync(join(directory, name));
    const checksum = createHash('sha256').update(text).digest('hex');
    return { number: index + 1, name, checksum, statements: statementsOf(text.toString('utf8')) };
  });
}

/**
 * Returns the statements of a file. A statement ends with a semicolon at the end of a line. Lines that begin with
 * `--` are comments.
 */
function statementsOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
