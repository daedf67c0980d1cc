import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { containerOffer } from './container-offer.ts';

/**
 * A fake container engine that replaces a real one on this machine. All tests share it, because testcontainers reads
 * the address only once.
 */
let engine: Server;
let asked: string[] = [];
let answer: RequestListener = () => {};

beforeAll(async () => {
  engine = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(engine, 'listening');
  vi.stubEnv('DOCKER_HOST', `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  engine.close().closeAllConnections();
});

it('skips an engine that does not answer', async () => {
  const impatience = new AbortController();
  answer = () => impatience.abort();
  expect(await containerOffer('redis', impatience.signal)).toBeUndefined();
  expect(asked).toEqual(['GET /info']);
});

it('skips an engine that does not have the image and cannot pull it', async () => {
  asked = [];
  answer = (request, response) => {
    if (request.url === '/info') response.end(JSON.stringify({ ServerVersion: '1', OSType: 'linux' }));
    else response.writeHead(404).end(JSON.stringify({ message: 'no such image' }));
  };
  expect(await containerOffer('redis')).toBeUndefined();
  expect(asked).toContain('POST /images/create');
});
