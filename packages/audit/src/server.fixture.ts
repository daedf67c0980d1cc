/** Databases of their own on a ClickHouse server that others use as well. */
import { randomUUID } from 'node:crypto';
import { sharedServer } from '@mandate/testing';
import type { AuditUnderTest } from './contract/audit-under-test.ts';
import { type AuditClient, openServerAudit, type ServerAuditOptions } from './index.ts';

/** A client of the server at `address`, which may name a user; by default of the one who may do everything. */
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

/** One statement, on a connection of its own. */
export async function command(address: string, sql: string, options: Partial<ServerAuditOptions> = {}) {
  const audit = await connect(address, options);
  await audit.command(sql).finally(() => audit.close());
}

/** An empty database on the run's own server. */
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
