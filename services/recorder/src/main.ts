/** The recorder alone, from the log into the audit tables, each on a server or in a folder. HTTP tells how it fares. */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { openLog } from '@mandate/bus';
import { openPrivacyFile } from '@mandate/privacy';
import { makeDataFolder } from '@mandate/runtime';
import { runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { recorderConfig, startRecorder } from './app.ts';

await runService(process, {
  name: 'recorder',
  manifest,
  schema: recorderConfig,
  settings: ({ RECORDER_LOG_LEVEL: logLevel, RECORDER_HOST: host, RECORDER_PORT: port }) => ({
    logLevel,
    host,
    port,
  }),
  async open({ config, log, metrics, tracer, closing, running }) {
    const folder = makeDataFolder(config.RECORDER_DATA_PATH);
    const privacy = closing(openPrivacyFile(config, { folder, log }), (file) => file.stop());
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const audit = closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
    await migrate(audit, MIGRATIONS_DIRECTORY);
    const recorder = running(
      await startRecorder({
        bus,
        audit,
        log,
        metrics,
        tracer,
        maxBatch: config.RECORDER_BATCH_RECORDS,
        gatherMs: config.RECORDER_GATHER_MS,
        sessionTimeoutMs: config.RECORDER_SESSION_TIMEOUT_MS,
        retentionMs: config.RECORDER_RETENTION_MS,
        keepMonths: privacy.keepMonths,
      }),
    );
    return { keys: null, readiness: async () => [...(await recorder.readiness()), privacy.readiness()] };
  },
});
