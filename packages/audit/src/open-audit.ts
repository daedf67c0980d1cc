/**
 * Opens the audit that the settings name: a ClickHouse server if they name one, otherwise the embedded ClickHouse.
 */

import { isMandateError, readTlsFiles, sharedByRequests } from '@mandate/runtime';
import type { ClickhouseSettings } from '@mandate/runtime/settings';
import { openEmbeddedAudit } from './embedded.ts';
import type { AuditClient } from './port.ts';
import { openServerAudit, type ServerAuditOptions } from './server.ts';

/**
 * Creates a missing database on the server if the user may; otherwise throws AUDIT_DATABASE_MISSING. `migrate`
 * creates the tables.
 *
 * @param local the directory of the tables, if there is no server
 */
export async function openAudit(settings: ClickhouseSettings, local: { path: string }): Promise<AuditClient> {
  return sharedByRequests(await openClient(settings, local));
}

async function openClient(settings: ClickhouseSettings, local: { path: string }): Promise<AuditClient> {
  if (settings.CLICKHOUSE_URL === undefined) return openEmbeddedAudit(local);
  const options = serverOptions(settings, settings.CLICKHOUSE_URL);
  try {
    return await openServerAudit(options);
  } catch (error) {
    if (!isMandateError(error, 'AUDIT_DATABASE_MISSING') || !(await createDatabase(options))) throw error;
    return openServerAudit(options);
  }
}

/** Opens the audit on a server and creates nothing. */
export function openServerAsItIs(settings: ClickhouseSettings, url: string): Promise<AuditClient> {
  return openServerAudit(serverOptions(settings, url));
}

function serverOptions(settings: ClickhouseSettings, url: string): ServerAuditOptions {
  const tls = readTlsFiles('CLICKHOUSE', settings);
  return {
    url,
    username: settings.CLICKHOUSE_USER ?? 'default',
    password: settings.CLICKHOUSE_PASSWORD ?? '',
    database: settings.CLICKHOUSE_DATABASE,
    timeoutMs: settings.CLICKHOUSE_TIMEOUT_MS,
    compress: settings.CLICKHOUSE_COMPRESS,
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

/** Returns false if this user may not create a database. */
async function createDatabase(options: ServerAuditOptions): Promise<boolean> {
  const server = await openServerAudit({ ...options, database: 'default' });
  try {
    // The settings accept only plain names, so the name is safe in SQL.
    await server.command(`CREATE DATABASE IF NOT EXISTS ${options.database}`);
    return true;
  } catch (error) {
    if (isMandateError(error, 'AUDIT_ACCESS_DENIED')) return false;
    throw error;
  } finally {
    await server.close();
  }
}
