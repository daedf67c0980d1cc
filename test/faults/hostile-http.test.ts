/**
 * A plane of one process is attacked over TCP. It must stay up and serve other callers, and its memory must stay
 * limited. No caller may hide a second request inside a request, or reach a route that needs a key.
 * http-server.system.test.ts in packages/server tests the timeouts for slow senders.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { IS_LONG, IS_SHORT, type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

const MIB = 1024 * 1024;
/** The number of idle sockets from one process. It is below the server's own limit of 10,000. */
const IDLE = IS_LONG ? 9_900 : 1_500;
const STREAMS = 40;
/**
 * The memory of the plane may grow by this number of bytes in one attack, including garbage that is not collected
 * yet.
 */
const MOST_GROWTH = 256 * MIB;
const LOOK_EVERY_MS = 200;

let plane: PlaneProcess;
let data: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'mandate-http-'));
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: all\nagents: ["*"]\n');
  plane = await startPlane({ data, mandates });
});
afterAll(async () => {
  await plane?.kill();
  rmSync(data, { recursive: true });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens a raw connection. Returns the socket, the received text, and a promise for the close. */
function dial() {
  const { hostname, port } = new URL(plane.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  return { socket, closed, received: () => received };
}

/** Sends the text. Returns everything that the server sends until it closes the connection. */
function answerTo(text: string | Buffer): Promise<string> {
  const { socket, closed } = dial();
  socket.write(text);
  return closed;
}

const statusesIn = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

let asked = 0;
async function mustServeOthers(): Promise<void> {
  expect((await fetch(new URL('/healthz', plane.url))).status).toBe(200);
  const published = await fetch(new URL('/v1/actions?waitMs=20000', plane.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${plane.keys.publisher}` },
    body: JSON.stringify({ id: `well-${++asked}`, agentId: 'well', type: 'tool_call', tool: 'look' }),
  });
  expect([published.status, await published.json()]).toMatchObject([200, { decision: { verdict: 'ALLOW' } }]);
}

async function memory(): Promise<number> {
  const metrics = await (await fetch(new URL('/metrics', plane.url))).text();
  return Number(/^process_resident_memory_bytes\S* (\S+)$/m.exec(metrics)?.[1]);
}

/**
 * Runs the attack. During the attack and afterwards, the plane must serve other callers, and its memory must stay
 * below the limit.
 */
async function mustBear(attack: () => Promise<void>): Promise<void> {
  await mustServeOthers();
  const before = await memory();
  let isOver = false;
  const bear = async () => {
    for (let isLast = false; !isLast; await sleep(LOOK_EVERY_MS)) {
      isLast = isOver;
      await mustServeOthers();
      expect((await memory()) - before).toBeLessThan(MOST_GROWTH);
    }
  };
  const attacking = attack().finally(() => {
    isOver = true;
  });
  await Promise.all([attacking, bear()]);
}

const HEAD = 'host: x\r\nconnection: close\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n';

describe('a second request that is hidden in a request is not served', () => {
  test.each([
    ['a length and chunks', `content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunks and a length', `transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['two lengths', `content-length: 0\r\ncontent-length: 40\r\n\r\n${SMUGGLED}`],
    ['two lengths in one header', `content-length: 0, 40\r\n\r\n${SMUGGLED}`],
    ['a signed length', `content-length: +0\r\n\r\n${SMUGGLED}`],
    ['a length in hexadecimal', `content-length: 0x0\r\n\r\n${SMUGGLED}`],
    ['a length that is too large', `content-length: 99999999999999999999\r\n\r\n${SMUGGLED}`],
    ['an unknown encoding', `transfer-encoding: xchunked\r\n\r\n${SMUGGLED}`],
    ['chunked, then another encoding', `transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['chunked twice', `transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a blank before the colon', `transfer-encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a folded header', `transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a bare line feed in a header', `x: y\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['a bare carriage return', `x: y\rtransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    ['NUL in a header', `x: y\0z\r\n\r\n${SMUGGLED}`],
    ['a chunk of a signed size', `transfer-encoding: chunked\r\n\r\n+0\r\n\r\n${SMUGGLED}`],
    [
      'a chunk that is longer than its size',
      `transfer-encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    [
      'a very long chunk extension',
      `transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\nx\r\n0\r\n\r\n${SMUGGLED}`,
    ],
  ])('%s', async (_name, rest) => {
    const answer = await answerTo(
      `POST /v1/actions HTTP/1.1\r\n${HEAD}authorization: Bearer ${plane.keys.publisher}\r\ncontent-type: application/json\r\n${rest}`,
    );
    expect(statusesIn(answer)).toEqual([expect.toSatisfy((status: number) => status >= 400 && status < 500)]);
    expect(answer).not.toContain('smuggled');
  });
});

describe('the plane answers an invalid request', () => {
  test.each([
    ...['BREW', 'PROPFIND', 'CONNECT', 'TRACE', 'PUT', 'get', '', 'GET\0', 'G'.repeat(5_000)].map(
      (method) => [method, '/v1/ledger/agents'] as const,
    ),
    ...[
      '/v1/%61gents',
      '/v1/agents/',
      '//v1/ledger/agents',
      '/v1/./agents',
      '/healthz/../v1/ledger/agents',
      '/healthz/%2e%2e/v1/ledger/agents',
      '/V1/AGENTS',
      '/v1/agents;x=1',
      '/v1/agents%00',
      '/v1/agents%0d%0aset-cookie:x',
      '/v1/agents/%2e%2e%2f/kill-status',
      '/v1/actions/%ff',
      '/v1/actions/%',
      '/v1/actions/%u0041',
      `/v1/actions/${'%41'.repeat(3_000)}`,
      `/v1/actions/${'a/'.repeat(3_000)}`,
      '*',
      'http://other.example/v1/ledger/agents',
      'v1/agents',
      '/v1/ledger/agents?limit[]=1&limit[$gt]=1',
      `/v1/ledger/agents?${'a=1&'.repeat(3_000)}`,
      '/v1/agents#/healthz',
      '/v1/agents /healthz',
    ].map((path) => ['GET', path] as const),
  ])('%s %s gets no data without a key', async (method, path) => {
    const answer = await answerTo(`${method} ${path} HTTP/1.1\r\n${HEAD}\r\n`);
    const [status = 400, ...more] = statusesIn(answer);
    expect([status >= 400 && status < 500, more]).toEqual([true, []]);
    expect(answer).not.toMatch(/^set-cookie|"agents":/im);
  });

  test.each([
    ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.9', `GET /v1/agents HTTP/1.9\r\n${HEAD}\r\n`],
    ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
    ['a megabyte of NUL', Buffer.alloc(MIB)],
    ['two hosts', `GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\nhost:\r\nconnection: close\r\n\r\n`],
    ['an upgrade', `GET /v1/agents HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`],
  ])('%s is answered or disconnected', async (_name, text) => {
    const { socket, received, closed } = dial();
    socket.write(text);
    await Promise.race([closed, waitUntil('an answer', () => received() !== '')]);
    for (const status of statusesIn(received())) expect(status).toBeLessThan(500);
    await mustServeOthers();
  });
});

describe('requests that are larger than any caller needs', () => {
  test('with headers that are too large or too many', () =>
    mustBear(async () => {
      const large = Array.from({ length: 50 }, () =>
        answerTo(`GET /healthz HTTP/1.1\r\n${HEAD}x: ${'x'.repeat(MIB)}\r\n\r\n`),
      );
      const many = Array.from({ length: 50 }, () =>
        answerTo(`GET /healthz HTTP/1.1\r\n${HEAD}${'a: b\r\n'.repeat(20_000)}\r\n`),
      );
      for (const answer of await Promise.all([...large, ...many]))
        expect(statusesIn(answer).slice(0, 1)).toEqual(answer === '' ? [] : [431]);
    }));

  test('headers: too many headers are refused, and none of them is ignored', async () => {
    const many = 'a:\r\n'.repeat(2_500);
    const answer = await answerTo(
      `POST /v1/actions HTTP/1.1\r\n${HEAD}authorization: Bearer ${plane.keys.publisher}\r\ncontent-type: application/json\r\n${many}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`,
    );
    expect(statusesIn(answer)).toEqual([431]);
  });

  test('with bodies that are too large, compressed bombs, or endless', () =>
    mustBear(async () => {
      const key = `authorization: Bearer ${plane.keys.publisher}\r\ncontent-type: application/json\r\n`;
      const post = (rest: string) => `POST /v1/actions HTTP/1.1\r\n${HEAD}${key}${rest}`;
      const large = await answerTo(post(`content-length: ${100 * MIB}\r\n\r\n`));
      const bomb = gzipSync(Buffer.alloc(100 * MIB));
      const packed = await answerTo(
        Buffer.concat([
          Buffer.from(post(`content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)),
          bomb,
        ]),
      );
      expect([statusesIn(large), statusesIn(packed)]).toEqual([[413], [415]]);
      const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
      const endless = await Promise.all(
        Array.from({ length: 50 }, () =>
          answerTo(`${post('transfer-encoding: chunked\r\n\r\n')}${chunk.repeat(40)}`),
        ),
      );
      // 503: a key may use a limited part of the memory for bodies, and these bodies may arrive at the same time.
      for (const answer of endless) expect([[], [413], [503]]).toContainEqual(statusesIn(answer));
    }));

  test('the plane survives many requests on one connection with answers that the caller does not read', () =>
    mustBear(async () => {
      const { socket, closed } = dial();
      const pipelined = IS_LONG ? 20_000 : 500;
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(pipelined - 1));
      socket.write(`GET /healthz HTTP/1.1\r\n${HEAD}\r\n`);
      expect(statusesIn(await closed)).toEqual(Array(pipelined).fill(200));
      const deaf = dial();
      deaf.socket.pause();
      const more = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000);
      // If the server stops reading, the socket's buffer fills, and the test sends no more.
      let sent = 0;
      while (sent < 50 && deaf.socket.write(more)) sent++;
    }));

  test.skipIf(IS_SHORT)('the plane survives connections without a request', { timeout: 300_000 }, () =>
    mustBear(async () => {
      const gone: Promise<string>[] = [];
      for (let open = 0; open < IDLE; open += 500) {
        const some = Array.from({ length: Math.min(500, IDLE - open) }, dial);
        await Promise.all(
          some.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))),
        );
        gone.push(...some.map(({ closed }) => closed));
      }
      await mustServeOthers();
      // The server closes a connection that sends no headers within ten seconds.
      await Promise.all(gone);
    }),
  );

  test('streams that are not read', () =>
    mustBear(async () => {
      const open = (path: string, key: string | undefined) => {
        const stream = dial();
        stream.socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
        return stream;
      };
      const streams = Array.from({ length: STREAMS }, (_, n) =>
        n % 2 === 0
          ? open('/v1/kills/stream', plane.keys.operator)
          : open('/v1/audit/live', plane.keys.operator),
      );
      for (const { received } of streams)
        await waitUntil('a stream', () => received().startsWith('HTTP/1.1 200'));
      for (const { socket } of streams) socket.pause();
      for (let n = 0; n < 20; n++) await mustServeOthers();
      const operate = (path: string) =>
        fetch(new URL(path, plane.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${plane.keys.operator}` },
          body: JSON.stringify({ reason: 'x'.repeat(200) }),
        });
      for (let n = 0; n < 20; n++) {
        expect((await operate(`/v1/agents/bot-${n}/kill`)).status).toBe(200);
        expect((await operate(`/v1/agents/bot-${n}/revive`)).status).toBe(200);
      }
    }));

  test('a HEAD request of a stream does not count as an open stream', async () => {
    const head = () =>
      fetch(new URL('/v1/kills/stream', plane.url), {
        method: 'HEAD',
        headers: { authorization: `Bearer ${plane.keys.operator}` },
        signal: AbortSignal.timeout(20_000),
      });
    expect((await head()).status).toBe(405);
  });
});
