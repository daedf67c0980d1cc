/**
 * Makes the audit's database and brings its tables up to date, as the one user who may; run before recorder and query.
 *
 * usage: MANDATE_CLICKHOUSE_… node infra/docker/migrate/main.ts
 */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { clickhouseSettings, loadConfig, otherAreas } from '@mandate/runtime';

const serverSettings = clickhouseSettings.required({ CLICKHOUSE_URL: true, CLICKHOUSE_DATABASE: true });
const config = loadConfig(serverSettings, process.env, { otherAreas: otherAreas(serverSettings) });
const neverLocal = { path: '' };

const server = await openAudit({ ...config, CLICKHOUSE_DATABASE: 'default' }, neverLocal);
await server.command(`CREATE DATABASE IF NOT EXISTS "${config.CLICKHOUSE_DATABASE}"`);
await server.close();

const audit = await openAudit(config, neverLocal);
const applied = await migrate(audit, MIGRATIONS_DIRECTORY);
await audit.close();
console.log(applied.length === 0 ? 'the audit is up to date' : `applied ${applied.join(', ')}`);
