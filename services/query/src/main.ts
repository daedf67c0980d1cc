/** The query service alone: on the audit tables, of a server or of a folder, and the API keys of a folder. */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { fileKeyStore, makeDataFolder, runService, systemClock } from '@mandate/runtime';
import manifest from '../package.json' with { type: 'json' };
import { queryConfig, queryReadiness, queryRoutes } from './app.ts';

await runService(process, {
  name: 'query',
  manifest,
  schema: queryConfig,
  settings: (config) => ({
    logLevel: config.QUERY_LOG_LEVEL,
    host: config.QUERY_HOST,
    port: config.QUERY_PORT,
    corsOrigins: config.QUERY_CORS_ORIGINS,
    requestsPerKeyPerSecond: config.QUERY_REQUESTS_PER_KEY_PER_SECOND,
  }),
  async open({ config, log, metrics, closing }) {
    const folder = makeDataFolder(config.QUERY_DATA_PATH);
    const audit = closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
    // On a server the recorder makes the tables: who only asks needs no right to.
    if (config.CLICKHOUSE_URL === undefined) await migrate(audit, MIGRATIONS_DIRECTORY);
    const timeoutMs = config.QUERY_ANSWER_TIMEOUT_MS;
    return {
      keys: fileKeyStore(folder.keys),
      readiness: () => queryReadiness(audit),
      routes: queryRoutes({ audit, log, metrics, clock: systemClock, timeoutMs }),
    };
  },
});
