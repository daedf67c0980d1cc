/**
 * Runs the recorder alone, from the log into the audit tables. Log and tables are each on a server or in a folder.
 * HTTP routes serve metrics and readiness.
 */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { openLog } from '@mandate/bus';
import { openPrivacyFile } from '@mandate/privacy';
import { makeDataFolder } from '@mandate/runtime';
import { runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { recorderConfig } from './config.ts';
import { openRecorder } from './open-recorder.ts';

await runService(process, {
  name: 'recorder',
  manifest,
  schema: recorderConfig,
  settings: ({ RECORDER_LOG_LEVEL: logLevel, RECORDER_HOST: host, RECORDER_PORT: port }) => ({
    logLevel,
    host,
    port,
  }),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.RECORDER_DATA_PATH);
    const privacy = closing(openPrivacyFile(config, { folder, log }), (file) => file.stop());
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const audit = closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
    await migrate(audit, MIGRATIONS_DIRECTORY);
    const recorder = await openRecorder(config, { ...parts, bus, audit, privacy });
    return { keys: null, readiness: async () => [...(await recorder.readiness()), privacy.readiness()] };
  },
});
