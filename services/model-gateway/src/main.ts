/** Runs a model gateway alone. It knows the keys of its callers from the log and the data folder. */
import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { makeDataFolder } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { modelGatewayConfig } from './config.ts';
import { openModelsFile } from './models/models-file.ts';
import { openModelGateway } from './open-model-gateway.ts';

await runService(process, {
  name: 'model-gateway',
  manifest,
  schema: modelGatewayConfig,
  settings: apiSettings('MODELS'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.MODELS_DATA_PATH);
    const file = closing(openModelsFile(config, { folder, env: process.env, log }), (opened) =>
      opened.stop(),
    );
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const { MODELS_REPORTER_KEY: reporterKey, MODELS_TENANT: tenant } = config;
    const { routes, readiness, decideAt } = openModelGateway(config, {
      ...{ ...parts, file },
      reporterKeyOf: (of) => (of === tenant ? (reporterKey ?? null) : null),
    });
    decideAt(config.MODELS_PLANE_URL);
    const keys = keysInForce(followed, fileKeyStore(folder.keys));
    return { keys, quotas: followed.mandates.quotas, readiness, routes };
  },
});
