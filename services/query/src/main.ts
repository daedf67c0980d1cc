/** The query service alone: on the audit tables and the log, on servers or in a folder, and the API keys of both. */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import { redactPieces } from '@mandate/privacy';
import { answers, makeDataFolder, systemClock } from '@mandate/runtime';
import { anyKeyStore, fileKeyStore, keyStoreOf, keysWhileOpen, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { queryConfig, queryReadiness, queryRoutes } from './app.ts';
import { openQueryLog } from './open-query-log.ts';

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
    sockets: config.QUERY_MAX_SOCKETS,
  }),
  async open({ config, log, metrics, closing, running }) {
    const folder = makeDataFolder(config.QUERY_DATA_PATH);
    const audit = closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
    // On a server the recorder makes the tables: who only asks needs no right to.
    if (config.CLICKHOUSE_URL === undefined) await migrate(audit, MIGRATIONS_DIRECTORY);
    const bus = closing(await openQueryLog(config, { folder, log }), (held) => held?.close());
    const ofFolder = fileKeyStore(folder.keys);
    const snapshots = bus && openControlSnapshots(config, bus, folder);
    const followed = bus && snapshots && running(await followControl({ bus, log, snapshots }));
    const timeoutMs = config.QUERY_ANSWER_TIMEOUT_MS;
    return {
      keys:
        followed === null
          ? ofFolder
          : keysWhileOpen(anyKeyStore(keyStoreOf(followed.apiKeys), ofFolder), followed.mandates),
      ...(followed !== null && { tenantLimits: followed.mandates.limits }),
      readiness: async () => [
        ...(await queryReadiness(audit)),
        ...(bus === null ? [] : [await answers('log', bus.ping())]),
      ],
      routes: queryRoutes({
        audit,
        bus: config.QUERY_RECORD_READS ? bus : null,
        log,
        metrics,
        clock: systemClock,
        timeoutMs,
        redactText: redactPieces,
      }),
    };
  },
});
