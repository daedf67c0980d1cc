import { silentLogger } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import {
  createHttpServer,
  createMetrics,
  type HttpLimits,
  type HttpServer,
  memoryKeyStore,
} from '@mandate/server';
import { mustAnswerAsDescribed } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { type QueryOptions, queryRoutes } from './app.ts';

type Given = Pick<QueryOptions, 'audit'> &
  Partial<QueryOptions> & {
    keys: readonly ApiKeyRecord[];
    limits?: Partial<HttpLimits>;
    /** Called with the server before any route is added. */
    prepare?: (server: HttpServer) => void;
  };

/**
 * Starts a server with the routes of the query service, until the test ends. Without a `bus`, reads are not recorded.
 */
export async function queryServer({ keys, limits = {}, prepare, ...given }: Given): Promise<HttpServer> {
  const [metrics, log] = [createMetrics({ service: 'query' }), silentLogger()];
  const server = await createHttpServer({
    service: 'query',
    version: '0',
    log,
    metrics,
    keys: memoryKeyStore(keys),
    readiness: async () => [],
    limits,
  });
  await mustAnswerAsDescribed(server);
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  prepare?.(server);
  await server.register(queryRoutes({ bus: null, log, metrics, clock: Date.now, ...given }));
  return server;
}
