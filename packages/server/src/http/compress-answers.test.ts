import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { keyOf, testServer } from './http-server.fixture.ts';
import type { HttpRoutes } from './http-server-type.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, reason: 'every check passed' }));
const config = { scope: 'audit' } as const;
const routes: HttpRoutes = async (server) => {
  server.get('/v1/short', { config }, () => rows(3));
  server.get('/v1/page', { config }, () => rows(100));
  server.get('/v1/long', { config }, () => rows(10_000));
  server.post('/v1/page', { config }, () => rows(100));
  server.get('/v1/export', { config }, (_request, reply) =>
    reply
      .type('application/x-ndjson')
      .send(Readable.from(rows(10_000).map((row) => `${JSON.stringify(row)}\n`))),
  );
  server.get('/v1/events', { config }, (_request, reply) =>
    reply.type('text/event-stream').send(Readable.from([`data: ${JSON.stringify(rows(100))}\n\n`])),
  );
};

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

async function asking() {
  const server = await testServer(routes);
  return (url: string, encoding?: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    server.inject({
      method,
      url,
      headers: { ...keyOf('audit'), ...(encoding !== undefined && { 'accept-encoding': encoding }) },
    });
}

test.each(['gzip', 'br', 'zstd'] as const)(
  'sends an answer as %s, which is smaller and has the same content',
  async (encoding) => {
    const ask = await asking();
    for (const url of ['/v1/page', '/v1/long']) {
      const plain = await ask(url);
      const answer = await ask(url, encoding);
      expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
      expect(DECODERS[encoding](answer.rawPayload).toString()).toBe(plain.body);
      // The tag is weak, because all encodings of the answer share it.
      expect(answer.headers.etag).toBe(plain.headers.etag);
    }
  },
);

test('chooses the encoding that the client prefers, and never an encoding that the client refuses', async () => {
  const ask = await asking();
  const encodingFor = async (accepted: string) =>
    (await ask('/v1/page', accepted)).headers['content-encoding'] ?? 'none';
  expect(await encodingFor('gzip;q=0.5, br;q=1.0')).toBe('br');
  expect(await encodingFor('br;q=0.1, gzip')).toBe('gzip');
  expect(await encodingFor('identity')).toBe('none');
  expect(await encodingFor('gzip;q=0')).toBe('none');
  expect(await encodingFor('compress')).toBe('none');
});

test('sends a short answer uncompressed, with the vary header', async () => {
  const ask = await asking();
  const { headers } = await ask('/v1/short', 'gzip');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(headers.vary).toBe('accept-encoding');
});

test('compresses an export while it is sent', async () => {
  const ask = await asking();
  const answer = await ask('/v1/export', 'gzip');
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(answer.rawPayload).toString()).toBe((await ask('/v1/export')).body);
});

test('never compresses events, because a compressor would delay them', async () => {
  const ask = await asking();
  for (const encoding of ['gzip', 'br', 'zstd', '*']) {
    const answer = await ask('/v1/events', encoding);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(answer.headers).not.toHaveProperty('vary');
    expect(answer.body).toMatch(/^data: \[/);
  }
});

test('does not compress the answer to a POST', async () => {
  const ask = await asking();
  const { headers } = await ask('/v1/page', 'gzip', 'POST');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(headers).not.toHaveProperty('vary');
});
