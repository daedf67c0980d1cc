/**
 * Runs the console alone: the pages, the sessions of browsers and the sign-in. It passes every other request to the
 * service that has the route. It knows keys from the log and the data folder, as the other services do.
 */
import { openLog } from '@mandate/bus';
import { openControl } from '@mandate/control-log';
import { answers, makeDataFolder, readOrMakeSecret, systemClock } from '@mandate/runtime';
import {
  apiSettings,
  BrowserSessions,
  fileKeyStore,
  keysInForce,
  openUpstreams,
  runService,
} from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { consoleConfig } from './config.ts';
import { consoleRoutes } from './console-routes.ts';
import { forwardRoutes } from './forward/forward-routes.ts';
import { openOidcFile } from './oidc/oidc-file.ts';

await runService(process, {
  name: 'console',
  manifest,
  schema: consoleConfig,
  settings: apiSettings('CONSOLE'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.CONSOLE_DATA_PATH);
    const secret = readOrMakeSecret(folder.secret);
    const oidcFile = closing(openOidcFile(config, { folder, env: process.env, log }), (file) => file.stop());
    const bus = closing(await openLog(config, { path: folder.log, log }), (held) => held.close());
    const { followed } = await openControl(config, { ...parts, bus, folder });
    const upstreams = closing(openUpstreams(), (opened) => opened.close());
    const sessions = new BrowserSessions(secret);
    const shared = { bus, clock: systemClock, log };
    const own = consoleRoutes({
      ...{ ...shared, sessions, secret, followed, oidcFile, recordReads: true },
      ownUrl: () => ownUrl(config),
    });
    const forwarded = forwardRoutes({
      ...{ ...shared, upstreams },
      addresses: {
        gateway: new URL(config.CONSOLE_GATEWAY_URL),
        query: new URL(config.CONSOLE_QUERY_URL),
        alerter: new URL(config.CONSOLE_ALERTER_URL),
        control: new URL(config.CONSOLE_CONTROL_URL),
        runner: new URL(config.CONSOLE_RUNNER_URL),
      },
    });
    return {
      keys: keysInForce(followed, fileKeyStore(folder.keys)),
      quotas: followed.mandates.quotas,
      readiness: async () => [await answers('log', bus.ping()), oidcFile.readiness()],
      sessions,
      routes: async (server) => {
        await server.register(own);
        await server.register(forwarded);
      },
    };
  },
});

/** Null if no browser can open the address, or if the port is not known yet. Then oidc.yaml names the address. */
function ownUrl({ CONSOLE_HOST: host, CONSOLE_PORT: port }: { CONSOLE_HOST: string; CONSOLE_PORT: number }) {
  return port === 0 || ['0.0.0.0', '::'].includes(host) ? null : `http://${host}:${port}`;
}
