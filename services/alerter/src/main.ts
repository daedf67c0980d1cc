/** The alerter alone: on the log of many machines or of a folder, with the API keys of both and the rule file of a folder. */

import { recordHttpReads } from '@mandate/access-log';
import { openLog } from '@mandate/bus';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import { redactPieces } from '@mandate/privacy';
import { makeDataFolder, systemClock } from '@mandate/runtime';
import { anyKeyStore, fileKeyStore, keyStoreOf, keysWhileOpen, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { alerterConfig, alertRoutes, openRulesFile, startAlerter } from './app.ts';

await runService(process, {
  name: 'alerter',
  manifest,
  schema: alerterConfig,
  settings: (config) => ({
    logLevel: config.ALERTER_LOG_LEVEL,
    host: config.ALERTER_HOST,
    port: config.ALERTER_PORT,
    corsOrigins: config.ALERTER_CORS_ORIGINS,
    requestsPerKeyPerSecond: config.ALERTER_REQUESTS_PER_KEY_PER_SECOND,
    sockets: config.ALERTER_MAX_SOCKETS,
  }),
  async open({ config, log, metrics, closing, running }) {
    const folder = makeDataFolder(config.ALERTER_DATA_PATH);
    const named = config.ALERTER_RULES_PATH;
    const rules = closing(
      openRulesFile({
        path: named ?? folder.alerts,
        isNamed: named !== undefined,
        env: process.env,
        log,
      }),
      (file) => file.stop(),
    );
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const snapshots = openControlSnapshots(config, bus, folder);
    const followed = running(await followControl({ bus, log, snapshots }));
    const alerter = running(
      await startAlerter({
        bus,
        rules,
        log,
        metrics,
        sessionTimeoutMs: config.ALERTER_SESSION_TIMEOUT_MS,
        mostWaiting: config.ALERTER_MAX_WAITING,
      }),
    );
    if (!config.ALERTER_RECORD_READS)
      log.warn('who sees alerts is not recorded: MANDATE_ALERTER_RECORD_READS is off');
    const reads = config.ALERTER_RECORD_READS
      ? recordHttpReads({ bus, source: 'alerter', clock: systemClock, log, redactText: redactPieces })
      : null;
    const routes = alertRoutes(alerter, reads);
    const keys = keysWhileOpen(
      anyKeyStore(keyStoreOf(followed.apiKeys), fileKeyStore(folder.keys)),
      followed.mandates,
    );
    return { keys, tenantLimits: followed.mandates.limits, readiness: alerter.readiness, routes };
  },
});
