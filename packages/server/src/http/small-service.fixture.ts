/** A small service for tests of the HTTP server: one route of each kind, and two keys. */
import { MandateError } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { memoryKeyStore } from '../api-keys/key-store.ts';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { callerOf } from './authenticate.ts';
import { createHttpServer } from './create-http-server.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServerOptions } from './http-server.ts';
import type { HttpRoutes } from './http-server-type.ts';
import { takeRawBody } from './json-body.ts';

export const issue = (scopes: ApiScope[]) =>
  issueApiKey({ tenant: 'acme', scopes, agents: ['*'], name: 'n' });
export const publisher = issue(['publish']);
export const auditor = issue(['audit']);

const routes: HttpRoutes = async (server) => {
  server.get('/v1/public', { config: { public: true } }, () => ({ open: true }));
  server.get('/v1/header', { config: { public: true } }, (_request, reply) =>
    reply.header('x-told', '€\r\n').send('told'),
  );
  server.get('/v1/forgotten', () => ({ open: true }));
  server.get(
    '/v1/either',
    { config: { scope: ['publish', 'audit'] } },
    (request) => callerOf(request).scopes,
  );
  server.post('/v1/grave', { config: { scope: 'publish', grave: true } }, () => ({ done: true }));
  server.get('/v1/whoami', { config: { scope: 'publish' } }, (request) => ({
    tenant: callerOf(request).tenant,
    traceparent: request.traceparent,
  }));
  server.post(
    '/v1/things/:id',
    {
      config: { scope: 'publish' },
      schema: {
        params: z.object({ id: z.string().max(200) }),
        querystring: z.object({ waitMs: z.coerce.number().int().min(0).max(1_000).default(0) }),
        body: z.strictObject({ amounts: z.array(z.int()) }),
        response: { 200: z.object({ id: z.string(), sum: z.int(), waitMs: z.int() }) },
      },
    },
    ({ params, query, body }) => ({
      id: params.id,
      waitMs: query.waitMs,
      sum: body.amounts.reduce((sum, amount) => sum + amount, 0),
    }),
  );
  server.post('/v1/open', { config: { scope: 'publish' } }, ({ body }) => ({
    keys: Object.keys(Object(body)).length,
  }));
  server.post(
    '/v1/raw',
    {
      config: { scope: 'publish', rawJson: true },
      bodyLimit: 64,
      schema: { body: z.object({ documented: z.string() }) },
    },
    (request) => ({ text: takeRawBody(request).toString() }),
  );
  server.delete('/v1/raw/:id', { config: { scope: 'publish' } }, ({ body }) => ({ body: body ?? 'none' }));
  server.get<{ Params: { kind: string } }>('/v1/fail/:kind', { config: { public: true } }, ({ params }) => {
    if (params.kind === 'away') {
      throw new MandateError('LEDGER_UNAVAILABLE', 'the ledger is away', {
        remedy: 'Try later.',
        retryable: true,
      });
    }
    if (params.kind === 'broken') {
      throw new MandateError('LEDGER_CORRUPT', 'bad page in /var/lib/x', { remedy: 'Restore /var/lib/x.' });
    }
    if (params.kind === 'missing') {
      throw new HttpProblem(404, 'ACTION_NOT_FOUND', 'no such action', {
        remedy: 'Check the id.',
        cause: new Error('of a layer below'),
      });
    }
    throw new Error('postgres://user:hunter2@db');
  });
};

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
export const json = { 'content-type': 'application/json' };

/**
 * Serves the routes until the test ends. Returns `lines`, the log of the server, and `post`, which sends JSON with
 * the publisher's key.
 */
export async function serve(options: Partial<HttpServerOptions> = {}) {
  const lines: string[] = [];
  const metrics = createMetrics({ service: 'test' });
  const server = await createHttpServer({
    service: 'test',
    version: '1.2.3',
    log: createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } }),
    metrics,
    keys: memoryKeyStore([publisher.record, auditor.record]),
    readiness: async () => [{ name: 'bus', ok: true }],
    ...options,
  });
  onTestFinished(() => server.close());
  await server.register(routes);
  await server.ready();
  const post = (url: string, payload: string | Buffer, headers: Record<string, string> = json) =>
    server.inject({ method: 'POST', url, payload, headers: { ...bearer(publisher.key), ...headers } });
  return { server, lines, post };
}
