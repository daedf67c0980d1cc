import { randomBytes } from 'node:crypto';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { silentLogger } from '@mandate/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { dial } from './dial.fixture.ts';
import type { HttpServerOptions } from './http-server.ts';
import type { HttpServer } from './http-server-type.ts';
import { listen, serveHttp } from './serve-http.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function build(limits: HttpServerOptions['limits'] = {}): Promise<HttpServer> {
  const server = await createHttpServer({
    service: 'test',
    version: '0',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: null,
    readiness: async () => [],
    limits: { timeoutCheckMs: 20, ...limits },
  });
  servers.push(server);
  return server;
}

const local = { host: '127.0.0.1', port: 0 };

describe('slow and broken clients', () => {
  test('are cut off with 408 if headers arrive too slowly', async () => {
    const url = await listen(await build({ headersTimeoutMs: 100, requestTimeoutMs: 200 }), local);
    const { socket, closed } = dial(url);
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n');
    const drip = setInterval(() => socket.write('x-a: b\r\n'), 20);
    const answer = await closed;
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      status: 408,
    });
  });

  test('are cut off if a body arrives too slowly', async () => {
    const server = await build({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    server.post('/slow', { config: { public: true } }, () => ({}));
    const { socket, closed } = dial(await listen(server, local));
    socket.write(
      'POST /slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write(' '), 20);
    expect(await closed).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(drip);
  });

  test.each([
    ['slow headers', '', '\r\n{}'],
    ['a slow body', '\r\n{', '}'],
  ])('that are cut off for %s get no request carried out when the rest arrives', async (_, first, rest) => {
    const server = await build({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const carriedOut = vi.fn(() => ({}));
    server.post('/act', { config: { public: true } }, carriedOut);
    const gone = new Promise((resolve) => {
      server.server.once('connection', (accepted) => accepted.once('close', resolve));
    });
    const { socket, received } = dial(await listen(server, local));
    socket.allowHalfOpen = true;
    const head = 'POST /act HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n';
    socket.write(head + first);
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1.1 408 /), 20_000);
    socket.end(rest);
    await gone;
    expect(carriedOut).not.toHaveBeenCalled();
  });

  test('lose a socket without traffic', async () => {
    const { closed } = dial(await listen(await build({ idleSocketTimeoutMs: 100 }), local));
    expect(await closed).toBe('');
  });

  test('lose a kept-alive socket without another request', async () => {
    const { socket, closed } = dial(await listen(await build({ keepAliveTimeoutMs: 100 }), local));
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await closed).toMatch(/^HTTP\/1.1 200 /);
  });

  test('get a problem document for oversized headers and invalid data', async () => {
    const url = await listen(await build({ headerBytes: 2_000 }), local);
    const large = dial(url);
    large.socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(3_000)}\r\n\r\n`);
    expect(await large.closed).toMatch(/^HTTP\/1.1 431 [\s\S]*"HEADERS_TOO_LARGE"/);
    const rubbish = dial(url);
    rubbish.socket.write('\u0000\u0001 hello\r\n\r\n');
    const answer = await rubbish.closed;
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*application\/problem\+json/);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain('cache-control: no-store');
    expect(head).toContain(`x-request-id: ${JSON.parse(body).requestId}`);
  });

  test('get a problem or an answer in cases when Node alone would refuse without a body', async () => {
    const url = await listen(await build(), local);
    const hostless = dial(url);
    hostless.socket.write('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(await hostless.closed).toMatch(/^HTTP\/1.1 400 [\s\S]*"the header host is missing"/);
    const expecting = dial(url);
    expecting.socket.write(
      'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: miracles\r\n\r\n',
    );
    expect(await expecting.closed).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a compressed stream', () => {
  const CHUNK_BYTES = 64 * 1024;
  const CHUNKS = 1_000;

  test('waits for a slow reader, and ends when the reader leaves', async () => {
    const server = await build();
    let made = 0;
    const source = new Readable({
      read() {
        made += 1;
        // The bytes are random, so that compression cannot make them smaller.
        this.push(made > CHUNKS ? null : randomBytes(CHUNK_BYTES / 2).toString('hex'));
      },
    });
    const sending = Promise.withResolvers<ServerResponse>();
    server.get('/export', { config: { public: true } }, (_request, reply) => {
      sending.resolve(reply.raw);
      return reply.type('application/x-ndjson').send(source);
    });
    const { socket } = dial(await listen(server, local));
    socket.pause();
    socket.write('GET /export HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n');
    const answer = await sending.promise;
    await vi.waitFor(() => expect(answer.writableNeedDrain).toBe(true), 20_000);
    expect(answer.getHeader('content-encoding')).toBe('gzip');
    // The client does not read, so the server must produce no more data.
    await vi.waitFor(async () => {
      const before = made;
      for (let turn = 0; turn < 100; turn += 1) await setImmediate();
      expect(made).toBe(before);
    }, 20_000);
    expect(made).toBeLessThan(CHUNKS / 2);
    socket.destroy();
    await vi.waitFor(() => expect(source.destroyed).toBe(true), 20_000);
  });
});

describe('listening', () => {
  test('reports a port that is in use', async () => {
    const url = await listen(await build(), local);
    const port = Number(new URL(url).port);
    await expect(listen(await build(), { ...local, port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining(`127.0.0.1:${port}: another process listens there`),
      remedy: expect.stringContaining('another port'),
    });
  });

  test('reports an address of another machine', async () => {
    await expect(listen(await build(), { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining('no such address'),
    });
  });
});

describe('stopping', () => {
  /** Returns a listening server. One of its routes answers when `release` is called. */
  async function running(drainMs: number) {
    const server = await build();
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    server.get('/wait', { config: { public: true } }, async () => {
      entered.resolve();
      await gate.promise;
      return { done: true };
    });
    const { url, stop } = await serveHttp(server, { ...local, drainMs });
    return { url, entered: entered.promise, release: gate.resolve, stop };
  }

  test('answers a running request, refuses a later request on the same connection, and then closes', async () => {
    const { url, entered, release, stop } = await running(10_000);
    const { socket, received, closed } = dial(url);
    socket.write('GET /wait HTTP/1.1\r\nhost: x\r\n\r\n');
    await entered;
    const stopped = stop();
    // When the server refuses new connections, the stop has begun.
    await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow(), { timeout: 20_000 });
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    release();
    const answers = await closed;
    expect(received()).toContain('{"done":true}');
    expect(answers).toMatch(/^HTTP\/1.1 200 /);
    expect(answers).not.toContain('"status":"ok"');
    await stopped;
  });

  test('cuts off a request that does not end within the drain time', async () => {
    const { url, entered, stop } = await running(50);
    const cut = new Promise<Error>((resolve) => httpRequest(`${url}/wait`).on('error', resolve).end());
    await entered;
    const stopped = stop();
    expect(await cut).toBeInstanceOf(Error);
    await stopped;
  });
});
