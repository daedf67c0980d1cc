/** The audit that the settings name: a ClickHouse server where there is one, else ClickHouse in this process. */
import { readFileSync } from 'node:fs';
import type { ClickhouseSettings } from '@mandate/runtime';
import { openEmbeddedAudit } from './embedded.ts';
import type { AuditClient } from './port.ts';
import { openServerAudit } from './server.ts';

/** @param local the directory of the tables, where there is no server */
export function openAudit(settings: ClickhouseSettings, local: { path: string }): Promise<AuditClient> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_TLS_CA_PATH: caPath } = settings;
  if (url === undefined) return openEmbeddedAudit(local);
  return openServerAudit({
    url,
    username: settings.CLICKHOUSE_USER ?? 'default',
    password: settings.CLICKHOUSE_PASSWORD ?? '',
    database: settings.CLICKHOUSE_DATABASE ?? 'default',
    ...(caPath !== undefined && { tls: { ca: readFileSync(caPath) } }),
  });
}
