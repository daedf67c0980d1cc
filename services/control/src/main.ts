/**
 * Runs the control service alone, on Kafka or on the log of a data folder. API keys come from the log and from the
 * folder.
 */

import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { openPrivacyFile, redactPieces } from '@mandate/privacy';
import { answers, makeDataFolder, systemClock } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { controlConfig } from './config.ts';
import { openGateFile } from './gate-file.ts';
import { openControlService } from './open-control-service.ts';

await runService(process, {
  name: 'control',
  manifest,
  schema: controlConfig,
  settings: apiSettings('CONTROL'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.CONTROL_DATA_PATH);
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const control = await openControl(config, { ...parts, bus, folder });
    const privacy = closing(openPrivacyFile(config, { folder, log }), (file) => file.stop());
    const { CONTROL_GATE_PATH: named } = config;
    const gate = closing(openGateFile({ path: named ?? null, isNamed: true, log }), (file) => file.stop());
    const fileKeys = fileKeyStore(folder.keys);
    const { routes } = openControlService({
      ...{ ...parts, ...control, bus, fileKeys, privacy },
      fields: { redact: config.CONTROL_REDACT_FIELDS, hash: config.CONTROL_HASH_FIELDS },
      redactText: redactPieces,
      gate: gate.gate,
      mandatesFile: null,
      recordReads: true,
      clock: systemClock,
    });
    const { followed } = control;
    return {
      keys: keysInForce(followed, fileKeys),
      quotas: followed.mandates.quotas,
      readiness: async () => [await answers('log', bus.ping()), privacy.readiness(), gate.readiness()],
      routes,
    };
  },
});
