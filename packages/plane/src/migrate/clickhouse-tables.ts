/** Creates and migrates the audit's database and tables, or only compares them with the migrations. */
import {
  type AuditClient,
  MIGRATIONS_DIRECTORY,
  migrate,
  missingMigrations,
  openAudit,
  openServerAsItIs,
} from '@mandate/audit';
import { isMandateError } from '@mandate/runtime';
import { type Finding, finding } from './finding.ts';
import type { MigrateConfig } from './migrate-config.ts';

/** @param isCheck if true, nothing is created or changed */
export async function* clickhouseTables(
  config: MigrateConfig,
  url: string,
  isCheck: boolean,
): AsyncGenerator<Finding> {
  const what = `tables of database ${config.CLICKHOUSE_DATABASE}`;
  yield await finding({ server: 'clickhouse', what }, async () => {
    const audit = await opened(config, url, isCheck);
    if (audit === null) return { state: 'wrong', detail: 'the database is missing', remedy: MAKE_THEM };
    try {
      return isCheck ? await compared(audit) : await broughtUpToDate(audit);
    } finally {
      await audit.close();
    }
  });
}

const MAKE_THEM = 'Run `mandate migrate` as a user who may make tables.';

async function opened(config: MigrateConfig, url: string, isCheck: boolean): Promise<AuditClient | null> {
  if (!isCheck) return openAudit(config, { path: '' });
  try {
    return await openServerAsItIs(config, url);
  } catch (error) {
    if (isMandateError(error, 'AUDIT_DATABASE_MISSING')) return null;
    throw error;
  }
}

async function compared(audit: AuditClient) {
  const missing = await missingMigrations(audit, MIGRATIONS_DIRECTORY);
  if (missing.length === 0) return UP_TO_DATE;
  const names = missing.map(({ name }) => name);
  return { state: 'wrong', detail: `not applied: ${names.join(', ')}`, remedy: MAKE_THEM } as const;
}

async function broughtUpToDate(audit: AuditClient) {
  const applied = await migrate(audit, MIGRATIONS_DIRECTORY);
  if (applied.length === 0) return UP_TO_DATE;
  return { state: 'made', detail: `applied ${applied.join(', ')}` } as const;
}

const UP_TO_DATE = { state: 'ok', detail: 'up to date' } as const;
