/** The control service alone: on the log of many machines or of a folder, with the API keys of both. */

import { recordHttpReads } from '@mandate/access-log';
import { openLog } from '@mandate/bus';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import { openPrivacyFile, redactPieces } from '@mandate/privacy';
import { answers, makeDataFolder, systemClock } from '@mandate/runtime';
import { anyKeyStore, fileKeyStore, keyStoreOf, keysWhileOpen, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import {
  controlConfig,
  controlRoutes,
  makeTenantTopics,
  measureExpiringKeys,
  openControlThread,
} from './app.ts';

await runService(process, {
  name: 'control',
  manifest,
  schema: controlConfig,
  settings: (config) => ({
    logLevel: config.CONTROL_LOG_LEVEL,
    host: config.CONTROL_HOST,
    port: config.CONTROL_PORT,
    corsOrigins: config.CONTROL_CORS_ORIGINS,
    requestsPerKeyPerSecond: config.CONTROL_REQUESTS_PER_KEY_PER_SECOND,
    sockets: config.CONTROL_MAX_SOCKETS,
  }),
  async open({ config, log, metrics, closing, running }) {
    const folder = makeDataFolder(config.CONTROL_DATA_PATH);
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const snapshots = openControlSnapshots(config, bus, folder);
    const followed = running(
      await followControl({ bus, log, snapshots, leaveAfterRecords: config.CONTROL_SNAPSHOT_AFTER_RECORDS }),
    );
    const { directTenants } = followed;
    closing(makeTenantTopics({ bus, log, directTenants }), (making) => making.stop());
    const { revision } = followed;
    const apart = closing(openControlThread({ bus, log, snapshots, revision }), (thread) => thread.stop());
    const clock = systemClock;
    const privacy = closing(openPrivacyFile(config, { folder, log }), (file) => file.stop());
    const hiding = () => ({
      redact: config.CONTROL_REDACT_FIELDS,
      hash: config.CONTROL_HASH_FIELDS,
      document: privacy.privacy(),
    });
    const ofFile = fileKeyStore(folder.keys);
    const keys = async () => [...followed.allKeys(), ...(await ofFile.list())];
    closing(measureExpiringKeys({ metrics, log, clock, keys }), (measuring) => measuring.stop());
    const reads = recordHttpReads({ bus, source: 'control', clock, log, redactText: redactPieces });
    return {
      keys: keysWhileOpen(anyKeyStore(keyStoreOf(followed.apiKeys), ofFile), followed.mandates),
      tenantLimits: followed.mandates.limits,
      readiness: async () => [await answers('log', bus.ping()), privacy.readiness()],
      routes: controlRoutes(
        { followed, apart, clock, hiding, redactText: redactPieces, fileKeys: ofFile.ofTenant },
        reads,
      ),
    };
  },
});
