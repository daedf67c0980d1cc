import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiClient, createApiClient } from './api-client.ts';

/** Knows routes that begin so, and no other. */
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

test('asks the query service for what is on record, the alerter for alerts, and the gateway for all else', async () => {
  const [gateway, query] = [await service('gateway', '/v1/ledger'), await service('query', '/v1/audit/')];
  const alerter = await service('alerter', '/v1/alerts');
  const api = createApiClient({ url: gateway, queryUrl: query, alerterUrl: alerter, key: 'k' });
  expect(await api.get('/v1/alerts')).toEqual({ name: 'alerter' });
  expect(await api.get('/v1/ledger')).toEqual({ name: 'gateway' });
  expect(await api.get('/v1/audit/decisions')).toEqual({ name: 'query' });
});

test('says which service is missing where one service has the routes of another', async () => {
  const [gateway, query] = [await service('gateway', '/v1/ledger'), await service('query', '/v1/audit/')];
  await expect(createApiClient({ url: gateway, key: 'k' }).get('/v1/audit/decisions')).rejects.toMatchObject({
    reason: 'no-route',
    service: 'query',
    message: `what answers at ${gateway} is no query service, which this takes (NOT_FOUND)`,
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

/** Answers every request in the same way. */
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
])('%s gives a refusal with its code, remedy and faults', async (_, call) => {
  const api = createApiClient({ url: await answering(409, JSON.stringify(REFUSAL)), key: 'k' });
  await expect(call(api)).rejects.toMatchObject({
    ...{ name: 'ApiError', reason: 'refused', status: 409, code: 'BUDGET_UNKNOWN' },
    ...{ message: 'no such budget', remedy: 'Name another.', faults: [{ index: 3 }] },
  });
});

test.each([
  [200, 'hello', 'not with JSON'],
  [502, '<html>', 'with HTTP status 502'],
])('an answer of status %i that is not JSON of a plane is an error', async (status, body, said) => {
  const api = createApiClient({ url: await answering(status, body), key: 'k' });
  const message = expect.stringContaining(`is no plane of Mandate: it answered ${said}`);
  await expect(api.get('/v1/ledger')).rejects.toMatchObject({ reason: 'not-a-plane', message });
});

test('tells a plane that cannot be reached from a request that its caller aborted', async () => {
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

test('throws what its caller makes of an error', async () => {
  const url = await answering(409, JSON.stringify(REFUSAL));
  const api = createApiClient({ url, key: 'k', failure: ({ code }) => new TypeError(`mine: ${code}`) });
  await expect(api.get('/v1/ledger')).rejects.toThrow(new TypeError('mine: BUDGET_UNKNOWN'));
});
