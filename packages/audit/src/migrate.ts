/**
 * Applies the migrations that this binary expects. Several processes may do this at once, and at every start, because
 * each step can be repeated. If nothing is missing, `migrate` only reads. So the recorder and the query service may
 * call it with users that cannot create tables.
 */
import { fileURLToPath } from 'node:url';
import { MandateError } from '@mandate/runtime';
import { z } from 'zod';
import { type Migration, readMigrations } from './migration-files.ts';
import type { AuditClient } from './port.ts';

/** The migrations of this source tree. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(
  new URL('../../../infra/clickhouse/migrations', import.meta.url),
);

const appliedRow = z.object({ number: z.int(), name: z.string(), checksum: z.string() });
type Applied = z.infer<typeof appliedRow>;

/**
 * Applies the missing migrations in order, and returns their names.
 *
 * @throws MandateError AUDIT_MIGRATION_EDITED, AUDIT_MIGRATION_GAP, AUDIT_MIGRATION_MISNAMED, AUDIT_SCHEMA_NEWER:
 *   nothing was changed; AUDIT_ACCESS_DENIED: a migration is missing, run it as a user who may create tables;
 *   AUDIT_UNAVAILABLE: run it again
 */
export async function migrate(client: AuditClient, directory: string): Promise<string[]> {
  const missing = await missingMigrations(client, directory);
  if (missing.length > 0) await client.command(HISTORY_TABLE);
  for (const { number, name, checksum, statements } of missing) {
    for (const statement of statements) await client.command(statement);
    await client.insert('migrations', [{ number, name, checksum }]);
  }
  return missing.map(({ name }) => name);
}

/** Returns the migrations that `migrate` would apply, in order. Only reads. */
export async function missingMigrations(client: AuditClient, directory: string): Promise<Migration[]> {
  const migrations = readMigrations(directory);
  const applied = await history(client);
  refuseForeignHistory(migrations, applied);
  return migrations.slice(applied.length);
}

const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS migrations
  (number UInt32, name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
  ENGINE = ReplacingMergeTree ORDER BY number`;

/** Returns the migrations that were applied to this database, in order. */
async function history(client: AuditClient): Promise<Applied[]> {
  const [table] = await client.query('EXISTS TABLE migrations', {}, z.object({ result: z.int() }));
  if (table?.result !== 1) return [];
  return client.query('SELECT number, name, checksum FROM migrations FINAL ORDER BY number', {}, appliedRow);
}

/**
 * Throws unless the applied migrations are byte for byte the first migrations of this binary. Otherwise the state of
 * the tables would be unknown.
 */
function refuseForeignHistory(migrations: readonly Migration[], applied: readonly Applied[]): void {
  for (const [index, past] of applied.entries()) {
    const known = migrations[index];
    if (past.number !== index + 1) {
      throw new MandateError(
        'AUDIT_MIGRATION_GAP',
        `Migration ${index + 1} was never applied here, yet ${past.name} was.`,
        {
          remedy:
            'Restore the table migrations from a backup, or rebuild the audit from the log in an empty database.',
        },
      );
    }
    if (known === undefined) {
      throw new MandateError(
        'AUDIT_SCHEMA_NEWER',
        `A newer version of Mandate has run on this audit: it applied ${past.name}, which this version does not know.`,
        { remedy: 'Start the newer version, or give this version another database.' },
      );
    }
    if (known.checksum !== past.checksum) {
      throw new MandateError(
        'AUDIT_MIGRATION_EDITED',
        `${known.name} was changed after it had been applied here (as ${past.name}, sha256 ${past.checksum}).`,
        { remedy: 'Undo the change, and write a new migration. An applied migration must never change.' },
      );
    }
  }
}
