/**
 * The decider alone: on Kafka and Redis one of many; on the log of a data folder with a ledger in its own memory the only
 * one, so it holds the folder's lock for as long as it lives. The other services need no lock: they speak to it over the
 * log only.
 */
import { openLog } from '@mandate/bus';
import { mandatesByRegister } from '@mandate/control';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import { ledgerReadiness } from '@mandate/ledger';
import { compileActionRedaction } from '@mandate/policy';
import { hidingInForce, openPrivacyFile } from '@mandate/privacy';
import { answers, makeDataFolder, monotonic, systemClock } from '@mandate/runtime';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import { runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { holdFolder, openLedger, openMandatesFile, startDecider, warnOfShortQuestions } from './app.ts';
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
  async open({ config, log, metrics, tracer, ...opening }) {
    const { closing, running } = opening;
    const clock = monotonic(systemClock, { onJump: (jump) => log.error({ jump }, 'the clock jumped') });
    const folder = makeDataFolder(config.DECIDER_DATA_PATH);
    holdFolder(config, folder, opening);
    const path = config.DECIDER_MANDATES_PATH ?? folder.mandates;
    const mandates = closing(openMandatesFile({ path, log }), (file) => file.stop());
    const hashKey = config.DECIDER_HASH_KEY;
    const hashing = { key: hashKey, setting: 'MANDATE_DECIDER_HASH_KEY' };
    const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
    // What gateways publish is sealed already; what is to be sealed of others' records is redacted, for want of keys.
    const redact = hidingInForce(privacy, {
      redact: compileActionRedaction({
        redact: config.DECIDER_REDACT_FIELDS,
        hash: config.DECIDER_HASH_FIELDS,
        hashKey,
      }),
      hashKey,
      sealer: null,
    });
    const synchronous = config.DECIDER_SYNCHRONOUS;
    const bus = closing(await openLog(config, { path: folder.log, log, clock, synchronous }), (held) =>
      held.close(),
    );
    const snapshots = openControlSnapshots(config, bus, folder);
    const followed = running(await followControl({ bus, log, snapshots }));
    const { ledger, mend } = await openLedger(config, { bus, folder, clock, log }, opening);
    const decider = running(
      await startDecider({
        bus,
        ledger,
        mend,
        control: () => mandatesByRegister(followed.mandates, mandates.control()),
        redact,
        clock,
        deadlines: true,
        log,
        metrics,
        tracer,
        maxRemembered: (tenant) => followed.mandates.limits(tenant).rememberedIds,
        tenantsWithTopics: () => followed.withTopics,
        topics: [TOPICS.actions, ...config.DECIDER_TENANT_TOPICS.map(topicOfTenant)],
        maxBatch: config.DECIDER_BATCH_RECORDS,
        sessionTimeoutMs: config.DECIDER_SESSION_TIMEOUT_MS,
      }),
    );
    warnOfShortQuestions({ mandates: mandates.control().mandates, followed, ledger, log });
    return {
      keys: null,
      readiness: async () => [
        await answers('log', bus.ping()),
        await ledgerReadiness(ledger),
        mandates.readiness(),
        privacy.readiness(),
        decider.readiness(),
      ],
    };
  },
});
