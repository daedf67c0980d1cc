/** The audit that the settings name: a ClickHouse server where there is one, else ClickHouse in this process. */

import { isMandateError, readTlsFiles, sharedByRequests } from '@mandate/runtime';
import type { ClickhouseSettings } from '@mandate/runtime/settings';
import { openEmbeddedAudit } from './embedded.ts';
import type { AuditClient } from './port.ts';
import { openServerAudit, type ServerAuditOptions } from './server.ts';

/**
 * A missing database on the server is made, if the user may; otherwise AUDIT_DATABASE_MISSING is thrown. Its tables are
 * `migrate`'s.
 *
 * @param local the directory of the tables, where there is no server
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

/** The same, of a server and as it is: nothing is made. */
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

/** false: this user may not. */
async function createDatabase(options: ServerAuditOptions): Promise<boolean> {
  const server = await openServerAudit({ ...options, database: 'default' });
  try {
    // The settings let plain names through only.
    await server.command(`CREATE DATABASE IF NOT EXISTS ${options.database}`);
    return true;
  } catch (error) {
    if (isMandateError(error, 'AUDIT_ACCESS_DENIED')) return false;
    throw error;
  } finally {
    await server.close();
  }
}
