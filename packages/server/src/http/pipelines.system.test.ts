/** Tests how much a listening server keeps of requests that wait for their answers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dial } from './dial.fixture.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './http-limits.ts';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';
import { takeRawBody } from './json-body.ts';
import { listen } from './serve-http.ts';

/** Serves a route that waits for `answer()` and counts its calls. */
async function serveWaiting(limits: Partial<HttpLimits> = {}) {
  const answered = Promise.withResolvers<void>();
  const bodies: WeakRef<Buffer>[] = [];
  const routesThatWait: HttpRoutes = async (routes) => {
    routes.post('/v1/wait', { config: { scope: 'publish', rawJson: true } }, async (request) => {
      bodies.push(new WeakRef(takeRawBody(request)));
      await answered.promise;
      return { nth: request.headers['x-nth'] };
    });
  };
  const server = await testServer(routesThatWait, { limits: { ...DEFAULT_HTTP_LIMITS, ...limits } });
  onTestFinished(() => {
    answered.resolve();
    server.server.closeAllConnections();
  });
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  return { url, bodies, answer: () => answered.resolve() };
}

function post(nth: number, body: string): string {
  const { authorization } = keyOf('publish');
  const headers = `host: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\nx-nth: ${nth}`;
  return `POST /v1/wait HTTP/1.1\r\n${headers}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

test('does not read a connection on which many requests wait, and answers all of them in order', async () => {
  const { url, bodies, answer } = await serveWaiting();
  const many = Array.from({ length: 300 }, (_, nth) => nth);
  const caller = dial(url);
  await caller.connected;
  for (const nth of many) caller.socket.write(post(nth, JSON.stringify('x'.repeat(8_000))));
  await vi.waitFor(() => expect(bodies.length).toBeGreaterThanOrEqual(16));
  const other = dial(url, post(0, '1'));
  await vi.waitFor(() => expect(bodies.length).toBeGreaterThanOrEqual(17));
  expect(bodies.length).toBeLessThan(30);

  answer();
  await vi.waitFor(() => expect(caller.received().match(/"nth":"299"/)).not.toBeNull(), 10_000);
  const nths = [...caller.received().matchAll(/"nth":"(\d+)"/g)].map(([, nth]) => Number(nth));
  expect(nths).toEqual(many);
  await vi.waitFor(() => expect(other.received()).toContain('"nth":"0"'));
});

test('reads a large body although many earlier requests of its connection wait', async () => {
  const { url, bodies, answer } = await serveWaiting();
  const caller = dial(url);
  await caller.connected;
  for (let nth = 0; nth < 20; nth += 1) caller.socket.write(post(nth, '1'));
  caller.socket.write(post(20, JSON.stringify('x'.repeat(500_000))));
  await vi.waitFor(() => expect(bodies.length).toBeGreaterThanOrEqual(16));
  answer();
  await vi.waitFor(() => expect(caller.received()).toContain('"nth":"20"'), 10_000);
});

test('does not count the time in which it does not read a connection as slowness of a body', async () => {
  const { url, bodies, answer } = await serveWaiting({
    bodyIdleMs: 400,
    bodyBytesPerSecond: 1e9,
    timeoutCheckMs: 10,
  });
  const caller = dial(url);
  await caller.connected;
  for (let nth = 0; nth < 20; nth += 1) caller.socket.write(post(nth, '1'));
  caller.socket.write(post(20, JSON.stringify('x'.repeat(500_000))));
  await vi.waitFor(() => expect(bodies.length).toBeGreaterThanOrEqual(16));
  // This body stops on a connection that is read. It is cut off after the time that the other body has waited too.
  const slow = dial(url, post(0, '"slow"').slice(0, -1));
  await vi.waitFor(() => expect(slow.received()).toMatch(/^HTTP\/1.1 408/), 10_000);
  answer();
  await vi.waitFor(() => expect(caller.received()).toContain('"nth":"20"'), 10_000);
});

test('keeps no body of a request whose handler took it', async () => {
  const { url, bodies } = await serveWaiting();
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  for (let nth = 0; nth < 5; nth += 1) dial(url, post(nth, JSON.stringify('x'.repeat(100_000))));
  await vi.waitFor(() => expect(bodies.length).toBe(5));
  await vi.waitFor(() => {
    collectGarbage();
    expect(bodies.filter((body) => body.deref() !== undefined)).toEqual([]);
  });
});
