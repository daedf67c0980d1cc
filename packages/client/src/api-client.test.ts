import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiClient, createApiClient } from './api-client.ts';
import { serviceOf } from './services.ts';

/** Starts a service with routes under this prefix, and no other routes. Returns its address. */
async function service(name: string, prefix: string): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const isKnown = url.startsWith(prefix);
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? { name } : { code: 'NOT_FOUND', detail: 'no such route' }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('sends audit questions to the query service, alerts to the alerter, and everything else to the gateway', async () => {
  const [gateway, query] = [await service('gateway', '/v1/ledger'), await service('query', '/v1/audit/')];
  const alerter = await service('alerter', '/v1/alerts');
  const api = createApiClient({ url: gateway, queryUrl: query, alerterUrl: alerter, key: 'k' });
  expect(await api.get('/v1/alerts')).toEqual({ name: 'alerter' });
  expect(serviceOf('/v1/reconcile')).toBe('alerter');
  expect(await api.get('/v1/ledger')).toEqual({ name: 'gateway' });
  expect(await api.get('/v1/audit/decisions')).toEqual({ name: 'query' });
});

test('names the service that has the route, if another service was asked', async () => {
  const [gateway, query] = [await service('gateway', '/v1/ledger'), await service('query', '/v1/audit/')];
  await expect(createApiClient({ url: gateway, key: 'k' }).get('/v1/audit/decisions')).rejects.toMatchObject({
    reason: 'no-route',
    service: 'query',
    message: `the server at ${gateway} is not the query service that this command needs (NOT_FOUND)`,
  });
  await expect(createApiClient({ url: query, key: 'k' }).get('/v1/alerts')).rejects.toMatchObject({
    reason: 'no-route',
    service: 'alerter',
  });
  await expect(createApiClient({ url: query, key: 'k' }).get('/v1/ledger')).rejects.toMatchObject({
    reason: 'no-route',
    service: 'gateway',
  });
});

/** Starts a server that gives this answer to every request. Returns its address. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const REFUSAL = {
  code: 'BUDGET_UNKNOWN',
  detail: 'no such budget',
  remedy: 'Name another.',
  errors: [{ index: 3 }],
};

test.each([
  ['get', (api: ApiClient) => api.get('/v1/ledger')],
  ['stream', (api: ApiClient) => api.stream('/v1/ledger', {})],
  ['download', (api: ApiClient) => api.download('/v1/ledger', {})],
])('%s makes an error with the code, remedy and faults of the refusal', async (_, call) => {
  const api = createApiClient({ url: await answering(409, JSON.stringify(REFUSAL)), key: 'k' });
  await expect(call(api)).rejects.toMatchObject({
    ...{ name: 'ApiError', reason: 'refused', status: 409, code: 'BUDGET_UNKNOWN' },
    ...{ message: 'no such budget', remedy: 'Name another.', faults: [{ index: 3 }] },
  });
});

test.each([
  [200, 'hello', 'not with JSON'],
  [502, '<html>', 'with HTTP status 502'],
])('a non-JSON answer with status %i is an error', async (status, body, said) => {
  const api = createApiClient({ url: await answering(status, body), key: 'k' });
  const message = expect.stringContaining(`is no plane of Mandate: it answered ${said}`);
  await expect(api.get('/v1/ledger')).rejects.toMatchObject({ reason: 'not-a-plane', message });
});

test('distinguishes an unreachable plane from a request that its caller aborted', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, 'close');
  for (const call of [(api: ApiClient) => api.get('/v1/x'), (api: ApiClient) => api.download('/v1/x', {})]) {
    await expect(call(createApiClient({ url, key: 'k' }))).rejects.toMatchObject({
      reason: 'unreachable',
      message: `no plane answers at ${url}`,
    });
    const aborted = createApiClient({ url, key: 'k', signal: AbortSignal.abort() });
    await expect(call(aborted)).rejects.toMatchObject({ name: 'AbortError' });
  }
});

test('throws the error that the option `failure` makes', async () => {
  const url = await answering(409, JSON.stringify(REFUSAL));
  const api = createApiClient({ url, key: 'k', failure: ({ code }) => new TypeError(`mine: ${code}`) });
  await expect(api.get('/v1/ledger')).rejects.toThrow(new TypeError('mine: BUDGET_UNKNOWN'));
});
