/** The query service alone: on the audit tables and the API keys of one folder. */
import { MIGRATIONS_DIRECTORY, migrate, openEmbeddedAudit } from '@mandate/audit';
import { fileKeyStore, makeDataFolder, runService, systemClock } from '@mandate/runtime';
import manifest from '../package.json' with { type: 'json' };
import { queryConfig, queryReadiness, queryRoutes } from './app.ts';

await runService(process, {
  name: 'query',
  manifest,
  schema: queryConfig,
  settings: ({ QUERY_LOG_LEVEL: logLevel, QUERY_HOST: host, QUERY_PORT: port }) => ({ logLevel, host, port }),
  async open({ config, log, metrics, closing }) {
    const folder = makeDataFolder(config.QUERY_DATA_PATH);
    const audit = closing(await openEmbeddedAudit({ path: folder.audit }), (held) => held.close());
    await migrate(audit, MIGRATIONS_DIRECTORY);
    const timeoutMs = config.QUERY_ANSWER_TIMEOUT_MS;
    return {
      keys: fileKeyStore(folder.keys),
      readiness: () => queryReadiness(audit),
      routes: queryRoutes({ audit, log, metrics, clock: systemClock, timeoutMs }),
    };
  },
});
