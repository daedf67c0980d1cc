/** Runs the query service on an HTTP server that accepts the given keys. */
import type { AuditClient } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { queryRoutes } from '@mandate/query';
import { silentLogger } from '@mandate/runtime';
import { createHttpServer, createMetrics, type HttpServer, type KeyStore } from '@mandate/server';
import { mustAnswerAsDescribed } from '@mandate/testing';

export async function queryServer(
  audit: AuditClient,
  keys: KeyStore,
  {
    bus = null,
    timeoutMs = 60_000,
    clock = Date.now,
  }: { bus?: Bus | null; timeoutMs?: number; clock?: () => number } = {},
): Promise<HttpServer> {
  const metrics = createMetrics({ service: 'query' });
  const log = silentLogger();
  const readiness = async () => [];
  const server = await createHttpServer({ service: 'query', version: '0', log, metrics, keys, readiness });
  await mustAnswerAsDescribed(server);
  await server.register(queryRoutes({ audit, bus, log, metrics, clock, timeoutMs }));
  return server;
}
