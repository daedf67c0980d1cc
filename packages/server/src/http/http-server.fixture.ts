/** Creates a server like that of every service, with a key for each scope. It is closed when the test ends. */

import { silentLogger } from '@mandate/runtime';
import { API_SCOPES, type ApiScope } from '@mandate/schemas';
import { onTestFinished } from 'vitest';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { memoryKeyStore } from '../api-keys/key-store.ts';
import { createMetrics } from '../metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import type { HttpServerOptions } from './http-server.ts';
import type { HttpRoutes, HttpServer } from './http-server-type.ts';

const KEYS = new Map(
  API_SCOPES.map((scope) => [
    scope,
    issueApiKey({ tenant: 'acme', scopes: [scope], agents: ['*'], name: scope }),
  ]),
);

export async function testServer(
  routes: HttpRoutes,
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const server = await createHttpServer({
    service: 'test',
    version: '1.2.3',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: memoryKeyStore([...KEYS.values()].map(({ record }) => record)),
    readiness: async () => [],
    ...options,
  });
  onTestFinished(() => server.close());
  await server.register(routes);
  await server.ready();
  return server;
}

/** Returns the authorization header with a key that has only this scope. */
export function keyOf(scope: ApiScope): { authorization: string } {
  return { authorization: `Bearer ${KEYS.get(scope)?.key}` };
}
