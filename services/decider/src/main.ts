/**
 * The decider alone, on the log of one data folder. Its ledger is in its own memory, folded from that log at the start,
 * so there can be one decider at a time: it holds the folder's lock for as long as it lives. The other services of the
 * folder need no lock: they speak to it over the log only.
 */
import { createSqliteBus } from '@mandate/bus';
import { compileActionRedaction } from '@mandate/policy';
import {
  answers,
  holdExclusively,
  makeDataFolder,
  monotonic,
  runService,
  systemClock,
} from '@mandate/runtime';
import manifest from '../package.json' with { type: 'json' };
import { openMandatesFile, restoreLedger, startDecider } from './app.ts';
import { deciderConfig } from './config.ts';

await runService(process, {
  name: 'decider',
  manifest,
  schema: deciderConfig,
  settings: ({ DECIDER_LOG_LEVEL: logLevel, DECIDER_HOST: host, DECIDER_PORT: port }) => ({
    logLevel,
    host,
    port,
  }),
  async open({ config, log, metrics, closing, running }) {
    const clock = monotonic(systemClock, { onJump: (jump) => log.error({ jump }, 'the clock jumped') });
    const redact = compileActionRedaction({
      redact: config.DECIDER_REDACT_FIELDS,
      hash: config.DECIDER_HASH_FIELDS,
      hashKey: config.DECIDER_HASH_KEY,
    });

    const folder = makeDataFolder(config.DECIDER_DATA_PATH);
    closing(holdExclusively(folder.lock, `the data folder ${folder.path}`), (lock) => lock.release());
    const path = config.DECIDER_MANDATES_PATH ?? folder.mandates;
    const mandates = closing(openMandatesFile({ path, log }), (file) => file.stop());
    const synchronous = config.DECIDER_SYNCHRONOUS;
    const bus = closing(await createSqliteBus({ path: folder.log, log, clock, synchronous }), (held) =>
      held.close(),
    );
    const { ledger } = await restoreLedger({ bus, clock, log, snapshotPath: folder.snapshot });
    closing(ledger, (held) => held.close());
    running(
      await startDecider({
        bus,
        ledger,
        control: mandates.control,
        redact,
        clock,
        deadlines: true,
        log,
        metrics,
        maxBatch: config.DECIDER_BATCH_RECORDS,
        sessionTimeoutMs: config.DECIDER_SESSION_TIMEOUT_MS,
      }),
    );
    return {
      keys: null,
      readiness: async () => [
        await answers('log', bus.ping()),
        await answers('ledger', ledger.ping()),
        mandates.readiness(),
      ],
    };
  },
});
