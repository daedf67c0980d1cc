/** Makes audit tables on a ClickHouse server, in a database of their own. */
import { randomUUID } from 'node:crypto';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openServerAudit } from '@mandate/audit';

/** Creates the database and its tables. Closing the client drops the database, if the server still runs. */
export async function openTablesOn(
  address: string,
  { database = freshDatabase(), ...options }: { database?: string; timeoutMs?: number } = {},
): Promise<AuditClient> {
  const { origin: url, username, password } = new URL(address);
  const connect = (database: string) =>
    openServerAudit({
      url,
      username: username === '' ? 'default' : username,
      password: decodeURIComponent(password),
      database,
      ...options,
    });
  const admin = await connect('default');
  await admin.command(`CREATE DATABASE IF NOT EXISTS ${database}`);
  const audit = await connect(database);
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return {
    ...audit,
    async close() {
      await audit.close();
      await admin.command(`DROP DATABASE IF EXISTS ${database} SYNC`).catch(() => {});
      await admin.close();
    },
  };
}

/** Returns a database name that no other test has. */
export function freshDatabase(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}
