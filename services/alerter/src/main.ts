/**
 * Runs the alerter alone, on Kafka or on the log of a data folder. API keys come from the log and the folder, the
 * rule file from the folder.
 */

import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { makeDataFolder } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { alerterConfig } from './config.ts';
import { openAlerter } from './open-alerter.ts';
import { openRulesFile } from './rules-file.ts';

await runService(process, {
  name: 'alerter',
  manifest,
  schema: alerterConfig,
  settings: apiSettings('ALERTER'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.ALERTER_DATA_PATH);
    const rules = closing(openRulesFile(config, { folder, env: process.env, log }), (file) => file.stop());
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const recordReads = config.ALERTER_RECORD_READS;
    if (!recordReads) log.warn('who sees alerts is not recorded: MANDATE_ALERTER_RECORD_READS is off');
    const { routes, readiness } = await openAlerter(config, { ...parts, bus, rules, recordReads });
    const keys = keysInForce(followed, fileKeyStore(folder.keys));
    return { keys, quotas: followed.mandates.quotas, readiness, routes };
  },
});
