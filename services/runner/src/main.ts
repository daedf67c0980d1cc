/**
 * Runs a runner alone, on Kafka or on the log of a data folder. It performs the runs of the tenant to which its API key
 * belongs, and shares them with the other runners of the group.
 */

import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { makeDataFolder } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { runnerConfig } from './config.ts';
import { openRunner } from './open-runner.ts';
import { openRunnerFile } from './runner-file.ts';

await runService(process, {
  name: 'runner',
  manifest,
  schema: runnerConfig,
  settings: apiSettings('RUNNER'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.RUNNER_DATA_PATH);
    const file = openRunnerFile(config, { folder, env: process.env });
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const recordReads = config.RUNNER_RECORD_READS;
    if (!recordReads) log.warn('who sees runs is not recorded: MANDATE_RUNNER_RECORD_READS is off');
    const { routes, readiness, perform } = await openRunner(config, {
      ...{ ...parts, bus, followed, file, recordReads },
      keyOf: (tenant) => (tenant === config.RUNNER_TENANT ? config.RUNNER_API_KEY : null),
    });
    await perform(config.RUNNER_PLANE_URL);
    const keys = keysInForce(followed, fileKeyStore(folder.keys));
    return { keys, quotas: followed.mandates.quotas, readiness, routes };
  },
});
