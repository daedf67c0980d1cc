/**
 * A gateway in its own process. With Kafka and Redis, any number of gateways may run, and each can do everything.
 * With the log of a data folder, the ledger is in the memory of the decider's process. Then the gateway publishes and
 * waits for decisions, but sends operators to the decider's process.
 */
import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { openSharedLedger } from '@mandate/ledger';
import { openPrivacyFile } from '@mandate/privacy';
import { makeDataFolder, readOrMakeSecret, systemClock } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { gatewayConfig } from './config.ts';
import { openGateway } from './open-gateway.ts';

await runService(process, {
  name: 'gateway',
  manifest,
  schema: gatewayConfig,
  settings: apiSettings('GATEWAY'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.GATEWAY_DATA_PATH);
    const secret = readOrMakeSecret(folder.secret);
    const hashKey = config.GATEWAY_HASH_KEY;
    const hashing = { key: hashKey, setting: 'MANDATE_GATEWAY_HASH_KEY' };
    const privacy = closing(openPrivacyFile(config, { folder, log, hashing }), (file) => file.stop());
    const fields = { redact: config.GATEWAY_REDACT_FIELDS, hash: config.GATEWAY_HASH_FIELDS, hashKey };
    const synchronous = config.GATEWAY_SYNCHRONOUS;
    const bus = closing(await openLog(config, { path: folder.log, log, synchronous }), (held) =>
      held.close(),
    );
    const ledger = closing(await openSharedLedger(config, log), (held) => held?.close());
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const { routes, readiness } = await openGateway(config, {
      ...{ ...parts, bus, folder, followed, privacy, fields, secret, ledger },
      findDecision: null,
      clock: systemClock,
    });
    return {
      keys: keysInForce(followed, fileKeyStore(folder.keys)),
      quotas: followed.mandates.quotas,
      readiness: async () => [...(await readiness()), privacy.readiness()],
      routes,
    };
  },
});
