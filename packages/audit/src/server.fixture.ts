/** Creates separate databases for tests, on a ClickHouse server that other tests also use. */
import { randomUUID } from 'node:crypto';
import { sharedServer } from '@mandate/testing';
import type { AuditUnderTest } from './contract/audit-under-test.ts';
import { type AuditClient, openServerAudit, type ServerAuditOptions } from './index.ts';

/** Connects to the server at `address`, which may contain a user name. The default user has all rights. */
export function connect(address: string, options: Partial<ServerAuditOptions> = {}): Promise<AuditClient> {
  const { username, password, origin } = new URL(address);
  return openServerAudit({
    url: origin,
    username: username === '' ? 'default' : username,
    password: decodeURIComponent(password),
    database: 'default',
    ...options,
  });
}

/** Runs one statement on its own connection. */
export async function command(address: string, sql: string, options: Partial<ServerAuditOptions> = {}) {
  const audit = await connect(address, options);
  await audit.command(sql).finally(() => audit.close());
}

/** Creates an empty database on the server that all tests of this run share. */
export async function onSharedServer(): Promise<AuditUnderTest & { address: string; database: string }> {
  const address = await sharedServer('clickhouse');
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await command(address, `CREATE DATABASE ${database}`);
  return {
    address,
    database,
    open: () => connect(address, { database }),
    dispose: () => command(address, `DROP DATABASE ${database} SYNC`),
  };
}
