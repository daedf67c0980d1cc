import { join } from 'node:path';
import {
  type AuditClient,
  MIGRATIONS_DIRECTORY,
  migrate,
  openEmbeddedAudit,
  openServerAudit,
} from '@mandate/audit';
import { startClickHouse } from '@mandate/testing';
import { temporaryFolder } from './temporary-log.ts';

/**
 * Opens ClickHouse inside this process, with its tables. A process can have only one. It is removed at the end of the
 * block that opened it.
 */
export async function temporaryAudit(): Promise<AsyncDisposable & { audit: AuditClient }> {
  const folder = temporaryFolder();
  const audit = await openEmbeddedAudit({ path: join(folder.path, 'audit') });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return {
    audit,
    async [Symbol.asyncDispose]() {
      await audit.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Starts ClickHouse in a separate process and queries it over HTTP, as a recorder does with a server. */
export async function auditOverHttp(): Promise<AsyncDisposable & { audit: AuditClient }> {
  const server = await startClickHouse();
  const { url } = server;
  const connection = { url, username: 'default', password: '', database: 'default' };
  // A statement inserts a million rows, which may take minutes on a busy machine.
  const audit = await openServerAudit({ ...connection, timeoutMs: 600_000 });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return {
    audit,
    async [Symbol.asyncDispose]() {
      await audit.close();
      await server.stop();
    },
  };
}

export async function emptyTables(audit: AuditClient): Promise<void> {
  for (const table of ['decisions', 'control_events', 'rollup_marks', 'rollup_sums'])
    await audit.command(`TRUNCATE TABLE ${table}`);
}
