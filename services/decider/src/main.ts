/**
 * Runs the decider alone. On Kafka and Redis, many deciders may run. With the log of a data folder and a ledger in
 * memory, only one may run, so it holds the lock of the folder. Other services need no lock, because they use only
 * the log.
 */
import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { ledgerReadiness } from '@mandate/ledger';
import { openPrivacyFile } from '@mandate/privacy';
import { answers, makeDataFolder, monotonic, systemClock } from '@mandate/runtime';
import { runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { deciderConfig } from './config.ts';
import { openMandatesFile } from './mandates-file.ts';
import { openDecider } from './open-decider.ts';
import { holdFolder, openLedger } from './open-ledger.ts';

await runService(process, {
  name: 'decider',
  manifest,
  schema: deciderConfig,
  settings: ({ DECIDER_LOG_LEVEL: logLevel, DECIDER_HOST: host, DECIDER_PORT: port }) => ({
    logLevel,
    host,
    port,
  }),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const clock = monotonic(systemClock, { onJump: (jump) => log.error({ jump }, 'the clock jumped') });
    const folder = makeDataFolder(config.DECIDER_DATA_PATH);
    holdFolder(config, folder, parts);
    const path = config.DECIDER_MANDATES_PATH ?? folder.mandates;
    const mandates = closing(openMandatesFile({ path, log }), (file) => file.stop());
    const hashKey = config.DECIDER_HASH_KEY;
    const hashing = { key: hashKey, setting: 'MANDATE_DECIDER_HASH_KEY' };
    const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
    const fields = { redact: config.DECIDER_REDACT_FIELDS, hash: config.DECIDER_HASH_FIELDS, hashKey };
    const synchronous = config.DECIDER_SYNCHRONOUS;
    const bus = closing(await openLog(config, { path: folder.log, log, clock, synchronous }), (held) =>
      held.close(),
    );
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const opened = await openLedger(config, { ...parts, bus, folder, clock }, parts);
    const shared = { ...parts, ...opened, bus, followed, mandates, privacy, fields, clock };
    const decider = await openDecider(config, shared);
    return {
      keys: null,
      readiness: async () => [
        await answers('log', bus.ping()),
        await ledgerReadiness(opened.ledger),
        mandates.readiness(),
        privacy.readiness(),
        decider.readiness(),
      ],
    };
  },
});
