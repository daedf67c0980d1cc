/** Audit tables on a ClickHouse server, in a database of their own. */
import { randomUUID } from 'node:crypto';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openServerAudit } from '@mandate/audit';

/** Migrated; the database goes when the client is closed, if the server is still there. */
export async function openTablesOn(
  address: string,
  options: { timeoutMs?: number } = {},
): Promise<AuditClient> {
  const { origin: url, username, password } = new URL(address);
  const own = `test_${randomUUID().replaceAll('-', '')}`;
  const connect = (database: string) =>
    openServerAudit({
      url,
      username: username === '' ? 'default' : username,
      password: decodeURIComponent(password),
      database,
      ...options,
    });
  const admin = await connect('default');
  await admin.command(`CREATE DATABASE ${own}`);
  const audit = await connect(own);
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return {
    ...audit,
    async close() {
      await audit.close();
      await admin.command(`DROP DATABASE ${own} SYNC`).catch(() => {});
      await admin.close();
    },
  };
}
