/** A control service for tests of the commands that call one. The service stops when the test ends. */

import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { type FollowedControl, followControl } from '@mandate/control-log';
import { controlRoutes, openControlThread } from '@mandate/control-service';
import { NO_PRIVACY } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import { createHttpServer, createMetrics, issueApiKey, memoryKeyStore } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { type Ran, runCommand } from '../run-command.fixture.ts';

type ControlService = {
  followed: FollowedControl;
  /** The folder of the test. It contains the log of the service. A test may add other files. */
  folder: string;
  /** Runs a command with the address of the service and an API key of the tenant. */
  mandate(...args: string[]): Promise<Ran>;
};

/** @param gate what no agent manifest may hold; null: everything is allowed */
export async function controlService(
  tenant: string,
  scope: ApiScope,
  gate: GateDocument | null = null,
): Promise<ControlService> {
  const [log, folder] = [silentLogger(), temporaryFolder()];
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  const followed = await followControl({ bus, log });
  onTestFinished(() => followed.stop());
  const { revision } = followed;
  const apart = openControlThread({ bus, log, revision });
  onTestFinished(() => apart.stop());
  const { key, record } = issueApiKey({ tenant, scopes: [scope], agents: ['*'], name: 'test' });
  const server = await createHttpServer({
    ...{ service: 'control', version: '0', log, metrics: createMetrics({ service: 'control' }) },
    ...{ keys: memoryKeyStore([record]), readiness: async () => [] },
  });
  await server.register(
    controlRoutes(
      {
        followed,
        controlAt: async () => null,
        mandatesFile: null,
        apart,
        clock: Date.now,
        gate: () => gate,
        redaction: () => ({ hash: [], document: NO_PRIVACY }),
        redactText: (text) => text,
        fileKeys: async () => [],
      },
      null,
    ),
  );
  onTestFinished(() => {
    server.server.closeAllConnections();
    return server.close();
  });
  const env = { MANDATE_URL: await server.listen({ host: '127.0.0.1', port: 0 }), MANDATE_API_KEY: key };
  return { followed, folder, mandate: (...args) => runCommand(args, { env }) };
}
