/** Starts a control service that is alone in its process, on a log that the caller provides. */

import type { Bus } from '@mandate/bus';
import { followControl } from '@mandate/control-log';
import { controlRoutes, openControlThread } from '@mandate/control-service';
import { NO_PRIVACY } from '@mandate/privacy';
import { silentLogger, systemClock } from '@mandate/runtime';
import { createHttpServer, createMetrics, issueApiKey, memoryKeyStore, serveHttp } from '@mandate/server';
import { TENANT } from './control.ts';

export type ControlAlone = AsyncDisposable & {
  url: string;
  /** The API key of the user who writes rules. */
  key: string;
};

export async function controlAlone(bus: Bus): Promise<ControlAlone> {
  await using stack = new AsyncDisposableStack();
  const log = silentLogger();
  const followed = await followControl({ bus, log });
  stack.defer(() => followed.stop());
  const { revision } = followed;
  const apart = openControlThread({ bus, log, revision });
  stack.defer(() => apart.stop());
  const { key, record } = issueApiKey({ tenant: TENANT, scopes: ['author'], agents: ['*'], name: 'author' });
  const server = await createHttpServer({
    service: 'bench',
    version: '0',
    log,
    metrics: createMetrics({ service: 'bench' }),
    keys: memoryKeyStore([record]),
    readiness: async () => [],
  });
  await server.register(
    controlRoutes(
      {
        followed,
        controlAt: async () => null,
        apart,
        clock: systemClock,
        gate: () => null,
        mandatesFile: null,
        redaction: () => ({ hash: [], document: NO_PRIVACY }),
        redactText: (text) => text,
        fileKeys: async () => [],
      },
      null,
    ),
  );
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  stack.defer(stop);
  const held = stack.move();
  return { url, key, [Symbol.asyncDispose]: () => held.disposeAsync() };
}
