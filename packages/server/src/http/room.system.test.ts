/**
 * Tests that callers who take all they can ("hoarders") get only a limited part of a listening server, and that all
 * other callers are served.
 */

import { silentLogger, turns } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { issueApiKey } from '../api-keys/api-key-record.ts';
import { memoryKeyStore } from '../api-keys/key-store.ts';
import { createMetrics } from '../metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { type Dialed, dial } from './dial.fixture.ts';
import type { HttpLimits } from './http-limits.ts';
import { listen } from './serve-http.ts';

const issue = (tenant: string, scope: ApiScope = 'publish') =>
  issueApiKey({ tenant, scopes: [scope], agents: ['*'], name: 'key' });
/** The keys: hoarders of two tenants, an honest key, and a key that operates. */
const [mallory, trudy, alice, operator] = [
  issue('mallory'),
  issue('trudy'),
  issue('alice'),
  issue('alice', 'operate'),
];
const HOARDERS = [mallory, trudy, issue('mallory'), issue('trudy')];
type Key = typeof mallory;

/** Time-outs that are long enough for every test. A test may set shorter ones. */
const PATIENT: Partial<HttpLimits> = {
  timeoutCheckMs: 20,
  bodyIdleMs: 60_000,
  unreadMs: 60_000,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
};

/** @param authenticated the server waits for this promise before it looks up a key */
async function serve(limits: Partial<HttpLimits>, authenticated = Promise.resolve()) {
  const metrics = createMetrics({ service: 'test' });
  const keys = memoryKeyStore([...HOARDERS, alice, operator].map(({ record }) => record));
  const server = await createHttpServer({
    service: 'test',
    version: '0',
    log: silentLogger(),
    metrics,
    keys: { ...keys, find: (credential) => authenticated.then(() => keys.find(credential)) },
    readiness: async () => [],
    limits: { ...PATIENT, ...limits },
  });
  const held = Promise.withResolvers<void>();
  onTestFinished(async () => {
    held.resolve();
    server.server.closeAllConnections();
    await server.close();
  });
  const config = { scope: ['publish', 'operate'] as ApiScope[] };
  server.post('/v1/text', { config }, ({ body }) => ({ length: String(Object(body).text).length }));
  server.get('/v1/wait', { config }, async () => {
    await held.promise;
    return {};
  });
  server.get('/v1/much', { config }, () => ({ text: 'x'.repeat(100_000) }));
  let [waitingLate, answeredLate] = [0, 0];
  server.get('/v1/much-later', { config }, async () => {
    waitingLate += 1;
    await held.promise;
    answeredLate += 1;
    return { text: 'x'.repeat(100_000) };
  });
  const url = await listen(server, { host: '127.0.0.1', port: 0 });

  /** Sends a request on a new connection. Returns the status, and the code if the request is refused. */
  async function ask({ key }: Key, path: string, body?: object): Promise<[status: number, code?: unknown]> {
    const answer = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, connection: 'close', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { code } = (await answer.json()) as { code?: unknown };
    return code === undefined ? [answer.status] : [answer.status, code];
  }
  const gauge = async (name: string) => {
    const found = await metrics.registry.getSingleMetric(name)?.get();
    return found?.values[0]?.value;
  };
  return {
    url,
    ask,
    gauge,
    answerLate: held.resolve,
    waitingLate: () => waitingLate,
    answeredLate: () => answeredLate,
  };
}

const head = (method: string, path: string, key: Key | null) =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\n${key === null ? '' : `authorization: Bearer ${key.key}\r\n`}`;
const post = (key: Key, length: number) =>
  `${head('POST', '/v1/text', key)}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
const isOpen = ({ socket }: Dialed) => !socket.destroyed && socket.readyState === 'open';

describe('bodies', () => {
  test('that are announced but not sent use no capacity', async () => {
    const { url, ask, gauge } = await serve({ bodyBytes: 5_000, bodiesBytes: 10_000, smallBodyBytes: 100 });
    const slow = HOARDERS.flatMap((key) =>
      Array.from({ length: 15 }, () => dial(url, `${post(key, 5_000)}{`)),
    );
    await vi.waitFor(async () => expect(await gauge('mandate_http_requests_under_way')).toBe(60), 20_000);
    expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
    expect(await ask(operator, '/v1/text', { text: 'short' })).toEqual([200]);
    expect(await gauge('mandate_http_body_bytes')).toBe(0);
    expect(slow.every(isOpen)).toBe(true);
  });

  test('that have arrived use capacity, and a key gets only its part of it', async () => {
    // Keys that do not operate share 7,000 bytes: at most 1,750 for one key, and 3,500 for one tenant.
    const { url, ask, gauge } = await serve({ bodyBytes: 5_000, bodiesBytes: 10_000, smallBodyBytes: 1_000 });
    const much = (key: Key) => dial(url, post(key, 5_000) + ' '.repeat(2_500));
    const [first] = [much(mallory)];
    await vi.waitFor(async () => expect(await gauge('mandate_http_body_bytes')).toBe(1_500), 20_000);
    const [second] = [much(mallory)];
    expect(await second.closed).toMatch(/^HTTP\/1.1 503 [\s\S]*"OVERLOADED"/);
    expect(isOpen(first)).toBe(true);
    expect(await ask(alice, '/v1/text', { text: 'x'.repeat(2_000) })).toEqual([200]);
  });

  test('are cut for a tenant without a body, and their capacity is used again', async () => {
    // Keys that do not operate share 2,800 bytes: at most 700 for one key.
    const { url, ask, gauge } = await serve({ bodyBytes: 5_000, bodiesBytes: 4_000, smallBodyBytes: 1_000 });
    const full = HOARDERS.map((key) => dial(url, post(key, 5_000) + ' '.repeat(1_700)));
    await vi.waitFor(async () => expect(await gauge('mandate_http_body_bytes')).toBe(2_800), 20_000);
    expect(await ask(alice, '/v1/text', { text: 'x'.repeat(1_600) })).toEqual([200]);
    await vi.waitFor(() => {
      const cut = full.filter(({ received }) => /^HTTP\/1.1 503 [\s\S]*"OVERLOADED"/.test(received()));
      expect(cut).toHaveLength(1);
    }, 20_000);
    for (const { socket } of full) socket.destroy();
    await vi.waitFor(async () => expect(await gauge('mandate_http_body_bytes')).toBe(0), 20_000);
  });

  test('are cut off if no more bytes arrive', async () => {
    const { url } = await serve({ bodyIdleMs: 100 });
    const stuck = dial(url, `${post(mallory, 5_000)}{`);
    expect(await stuck.closed).toMatch(/^HTTP\/1.1 408 [\s\S]*"REQUEST_TIMEOUT"/);
  });

  test('that arrive too slowly are cut off, long before the time-out of the request', async () => {
    const { url } = await serve({ bodyIdleMs: 200, bodyBytesPerSecond: 1_000 });
    const slow = dial(url, `${post(mallory, 5_000)}{`);
    const drip = setInterval(() => slow.socket.write(' '), 20);
    onTestFinished(() => clearInterval(drip));
    expect(await slow.closed).toMatch(/^HTTP\/1.1 408 [\s\S]*"REQUEST_TIMEOUT"/);
  });

  test('that were cut off are not carried out when the rest arrives', async () => {
    const { url, gauge } = await serve({ bodyIdleMs: 100 });
    const stuck = dial(url, `${post(mallory, 12)}{"text":`);
    stuck.socket.allowHalfOpen = true;
    await vi.waitFor(() => expect(stuck.received()).toMatch(/^HTTP\/1.1 408 /), 20_000);
    stuck.socket.end('"a"}');
    expect(await stuck.closed).not.toContain('HTTP/1.1 200');
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(0), 20_000);
  });
});

describe('connections', () => {
  test('that are silent or send headers slowly keep no caller out, because the oldest of them are ended', async () => {
    // Callers without a key share 20 connections.
    const { url, ask, gauge } = await serve({ sockets: 100 });
    const silent: Dialed[] = [];
    for (let n = 0; n < 30; n += 1) {
      // The connections come one after another, because simultaneous connections are accepted in any order.
      silent.push(dial(url, n % 2 === 0 ? '' : head('GET', '/v1/wait', null)));
      const open = Math.min(n + 1, 20);
      await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(open), 20_000);
    }
    await Promise.all(silent.slice(0, 10).map(({ closed }) => closed));
    expect(silent.slice(10, 19).every(isOpen)).toBe(true);
    for (let n = 0; n < 5; n += 1) {
      expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
      expect(await ask(operator, '/v1/text', { text: 'short' })).toEqual([200]);
    }
    expect(await gauge('mandate_http_open_sockets')).toBeLessThanOrEqual(20);
  });

  test('of one key are limited in number, and the connection that was idle longest is ended', async () => {
    // Keys that do not operate share 70 connections: at most 17 for one key.
    const { url, ask } = await serve({ sockets: 100 });
    const idle: Dialed[] = [];
    for (let n = 0; n < 20; n += 1) {
      const kept = dial(url, `${head('GET', '/v1/much', mallory)}\r\n`);
      await vi.waitFor(() => expect(kept.received()).toMatch(/"}$/), 20_000);
      idle.push(kept);
    }
    await Promise.all(idle.slice(0, 3).map(({ closed }) => closed));
    expect(idle.slice(3).map(isOpen)).toEqual(Array(17).fill(true));
    expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
  });

  test('with waiting requests of one key are limited in number, and the next connection is refused', async () => {
    const { url, ask, gauge } = await serve({ sockets: 100, requests: 1_000 });
    const busy = Array.from({ length: 20 }, () => dial(url, `${head('GET', '/v1/wait', mallory)}\r\n`));
    await vi.waitFor(() => {
      const refused = busy.filter(({ received }) => /^HTTP\/1.1 503 [\s\S]*"OVERLOADED"/.test(received()));
      expect(refused).toHaveLength(3);
    }, 20_000);
    expect(await gauge('mandate_http_requests_under_way')).toBe(17);
    expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
  });
});

describe('running requests', () => {
  test('of one key are limited in number, even on a few connections', async () => {
    // Keys that do not operate share 70 requests: at most 17 for one key.
    const { url, ask, gauge } = await serve({ requests: 100 });
    const pipelined = Array.from({ length: 3 }, () =>
      dial(url, `${head('GET', '/v1/wait', mallory)}\r\n`.repeat(14)),
    );
    await vi.waitFor(async () => expect(await gauge('mandate_http_requests_under_way')).toBe(17), 20_000);
    expect(await ask(mallory, '/v1/text', { text: 'short' })).toEqual([503, 'OVERLOADED']);
    expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
    expect(await ask(operator, '/v1/text', { text: 'short' })).toEqual([200]);
    for (const { socket } of pipelined) socket.destroy();
    await vi.waitFor(async () => expect(await gauge('mandate_http_requests_under_way')).toBe(0), 20_000);
  });

  test('use no capacity if their callers left before authentication', async () => {
    const { promise, resolve: authenticate } = Promise.withResolvers<void>();
    const { url, ask, gauge } = await serve({ requests: 100 }, promise);
    const left = Array.from({ length: 30 }, () => dial(url, `${head('GET', '/v1/much', mallory)}\r\n`));
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(30), 20_000);
    for (const { socket } of left) socket.destroy();
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(0), 20_000);
    authenticate();
    expect(await ask(mallory, '/v1/text', { text: 'short' })).toEqual([200]);
    await vi.waitFor(async () => expect(await gauge('mandate_http_requests_under_way')).toBe(0), 20_000);
  });

  test('are cut for a tenant without a request: the oldest of the largest holder, with its connection', async () => {
    // Keys that do not operate share 16 requests: at most 4 for one key.
    const { url, ask, gauge } = await serve({ requests: 24 });
    const waiting = HOARDERS.flatMap((key) =>
      Array.from({ length: 4 }, () => dial(url, `${head('GET', '/v1/wait', key)}\r\n`)),
    );
    await vi.waitFor(async () => expect(await gauge('mandate_http_requests_under_way')).toBe(16), 20_000);
    expect(await ask(alice, '/v1/text', { text: 'short' })).toEqual([200]);
    await vi.waitFor(() => expect(waiting.filter(isOpen)).toHaveLength(15), 20_000);
  });
});

describe('unread answers', () => {
  /** Opens a connection that sends requests and never reads the answers. It is opened again after it ends. */
  const deaf = (url: string, key: Key) => {
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const open = () => {
      if (isOver) return;
      const { socket } = dial(url);
      socket.pause();
      const asking = setInterval(() => socket.write(`${head('GET', '/v1/much', key)}\r\n`), 5);
      socket.once('close', () => {
        clearInterval(asking);
        setTimeout(open, 20);
      });
    };
    open();
  };

  test('use only limited memory, and are cut for other callers', async () => {
    // Keys that do not operate share 5,600,000 bytes: at most 1,400,000 for one key. In addition the system buffers
    // some megabytes of each connection.
    const { url, ask, gauge } = await serve({ answersBytes: 8_000_000 });
    for (const key of HOARDERS) for (let n = 0; n < 10; n += 1) deaf(url, key);
    const mayBe = 5_600_000;
    await vi.waitFor(async () => {
      const unread = (await gauge('mandate_http_unread_bytes')) ?? 0;
      expect(unread).toBeLessThanOrEqual(mayBe);
      expect(unread).toBeGreaterThan(mayBe - 100_000 * HOARDERS.length);
    }, 60_000);
    expect(await ask(mallory, '/v1/much')).toEqual([503, 'OVERLOADED']);
    for (let n = 0; n < 10; n += 1) expect(await ask(alice, '/v1/much')).toEqual([200]);
    expect(await gauge('mandate_http_unread_bytes')).toBeLessThanOrEqual(mayBe);
  });

  test('use no memory if their callers left before the answer', async () => {
    const CALLERS = 30;
    const { url, ask, gauge, answerLate, waitingLate, answeredLate } = await serve({
      answersBytes: 4_000_000,
    });
    const left = Array.from({ length: CALLERS }, () =>
      dial(url, `${head('GET', '/v1/much-later', mallory)}\r\n`),
    );
    await vi.waitFor(() => expect(waitingLate()).toBe(CALLERS), 20_000);
    for (const { socket } of left) socket.destroy();
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(0), 20_000);
    answerLate();
    await vi.waitFor(() => expect(answeredLate()).toBe(CALLERS), 20_000);
    expect(await ask(mallory, '/v1/much')).toEqual([200]);
    await vi.waitFor(async () => expect(await gauge('mandate_http_unread_bytes')).toBe(0), 20_000);
  });

  test('are dropped after a time limit', async () => {
    const { url, gauge } = await serve({ unreadMs: 200, readBytesPerSecond: 100_000_000 });
    const one = dial(url);
    one.socket.pause();
    one.socket.write(`${head('GET', '/v1/much', mallory)}\r\n`.repeat(100));
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(1), 20_000);
    await vi.waitFor(async () => expect(await gauge('mandate_http_open_sockets')).toBe(0), 20_000);
    expect(one.received()).toBe('');
  });

  test('are kept while their callers read them', async () => {
    const { url } = await serve({ unreadMs: 100, readBytesPerSecond: 1_000_000 });
    const slow = dial(url);
    slow.socket.pause();
    slow.socket.write(`${head('GET', '/v1/much', alice)}\r\n`.repeat(100));
    slow.socket.write(`${head('GET', '/v1/much', alice)}connection: close\r\n\r\n`);
    const sip = setInterval(() => {
      slow.socket.resume();
      setImmediate(() => slow.socket.pause());
    }, 10);
    onTestFinished(() => clearInterval(sip));
    expect((await slow.closed).match(/HTTP\/1.1 200/g)).toHaveLength(101);
  });
});

test('accepts many connections in a few turns of the event loop', async () => {
  const { url, gauge } = await serve({});
  const CONNECTIONS = 200;
  for (let n = 0; n < CONNECTIONS; n += 1) dial(url);
  let worked = 0;
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      await turns.next(['work']);
      worked += 1;
      for (const beganMs = performance.now(); performance.now() - beganMs < 10; );
    }
  };
  const working = work();
  await vi.waitFor(
    async () => expect(await gauge('mandate_http_open_sockets')).toBeGreaterThanOrEqual(CONNECTIONS),
    60_000,
  );
  isOver = true;
  await working;
  // If each turn of the event loop accepted only one connection, the work would have as many turns as there are
  // connections.
  expect(worked).toBeLessThan(CONNECTIONS / 2);
});
