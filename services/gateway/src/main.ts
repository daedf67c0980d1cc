/**
 * A gateway of its own: on Kafka and Redis one of many, each of which can do everything. On the log file of a machine whose
 * decider has the ledger in its memory it has none: it publishes and waits for decisions, and refers operators to the
 * process that holds the ledger.
 */
import { openLog } from '@mandate/bus';
import { agentRegister } from '@mandate/control';
import { followControl, openControlSnapshots } from '@mandate/control-log';
import { openKillBroadcast, openSharedLedger } from '@mandate/ledger';
import { compileActionRedaction, fingerprintOf } from '@mandate/policy';
import {
  hidingInForce,
  openPrivacyFile,
  personKeysAt,
  redactingInForce,
  sealingInForce,
  sealsAnything,
} from '@mandate/privacy';
import { makeDataFolder, readOrMakeSecret, systemClock } from '@mandate/runtime';
import { anyKeyStore, fileKeyStore, keyStoreOf, keysWhileOpen, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { createGateway } from './app.ts';
import { gatewayConfig } from './config.ts';

await runService(process, {
  name: 'gateway',
  manifest,
  schema: gatewayConfig,
  settings: (config) => ({
    logLevel: config.GATEWAY_LOG_LEVEL,
    host: config.GATEWAY_HOST,
    port: config.GATEWAY_PORT,
    corsOrigins: config.GATEWAY_CORS_ORIGINS,
    requestsPerKeyPerSecond: config.GATEWAY_REQUESTS_PER_KEY_PER_SECOND,
    sockets: config.GATEWAY_MAX_SOCKETS,
  }),
  async open({ config, log, metrics, closing, running }) {
    const folder = makeDataFolder(config.GATEWAY_DATA_PATH);
    const secret = readOrMakeSecret(folder.secret);
    const hashKey = config.GATEWAY_HASH_KEY;
    const hashing = { key: hashKey, setting: 'MANDATE_GATEWAY_HASH_KEY' };
    const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
    const personKeys = personKeysAt(config.GATEWAY_PERSON_KEYS_PATH ?? folder.personKeys);
    const redact = hidingInForce(privacy, {
      redact: compileActionRedaction({
        redact: config.GATEWAY_REDACT_FIELDS,
        hash: config.GATEWAY_HASH_FIELDS,
        hashKey,
      }),
      hashKey,
      sealer: personKeys,
    });
    const seal = sealingInForce(privacy, personKeys);
    const synchronous = config.GATEWAY_SYNCHRONOUS;
    const bus = closing(await openLog(config, { path: folder.log, log, synchronous }), (held) =>
      held.close(),
    );
    const ledger = closing(await openSharedLedger(config, log), (held) => held?.close());
    const kills = closing(await openKillBroadcast(config, log), (held) => held.close());
    const snapshots = openControlSnapshots(config, bus, folder);
    const followed = running(await followControl({ bus, log, snapshots }));
    const gateway = createGateway(
      {
        bus,
        ledger,
        standing: followed.mandates.standing,
        controlRevision: followed.revision,
        register: agentRegister(followed.tenant),
        limits: followed.mandates.limits,
        isClosed: followed.mandates.isClosed,
        isOfBounds: followed.mandates.isOfBounds,
        kills,
        findDecision: null,
        redact,
        fingerprint: (original, redacted, tenant) => fingerprintOf(seal(original, tenant), redacted, secret),
        redactText: redactingInForce(privacy),
        personKeys,
        sealsPersons: () => sealsAnything(privacy.privacy()),
        onPrivacyEdit: privacy.onEdit,
        log,
        metrics,
        clock: systemClock,
      },
      config,
    );
    running(await gateway.start());
    return {
      keys: keysWhileOpen(
        anyKeyStore(keyStoreOf(followed.apiKeys), fileKeyStore(folder.keys)),
        followed.mandates,
      ),
      tenantLimits: followed.mandates.limits,
      readiness: async () => [...(await gateway.readiness()), privacy.readiness()],
      routes: gateway.routes,
    };
  },
});
