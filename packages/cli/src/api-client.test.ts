import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createApiClient } from './api-client.ts';

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

test('says which address is missing where one service has the routes of another', async () => {
  const [gateway, query] = [await service('gateway', '/v1/ledger'), await service('query', '/v1/audit/')];
  await expect(createApiClient({ url: gateway, key: 'k' }).get('/v1/audit/decisions')).rejects.toMatchObject({
    exitCode: 1,
    message: `what answers at ${gateway} is no query service, which this takes (NOT_FOUND)`,
    remedy: expect.stringContaining('MANDATE_QUERY_URL'),
  });
  await expect(createApiClient({ url: query, key: 'k' }).get('/v1/alerts')).rejects.toMatchObject({
    message: expect.stringContaining('is no alerter'),
    remedy: expect.stringContaining('MANDATE_ALERTER_URL'),
  });
  await expect(createApiClient({ url: query, key: 'k' }).get('/v1/ledger')).rejects.toMatchObject({
    message: expect.stringContaining('is no gateway'),
    remedy: expect.stringContaining('MANDATE_URL'),
  });
});
