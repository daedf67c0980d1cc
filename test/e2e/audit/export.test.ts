/**
 * The audit as files, over sockets. An export is complete and can be resumed, and ClickHouse reads from the file
 * exactly what the audit answers.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ask, searchDecisions } from '@mandate/audit';
import { type HttpServer, issueApiKey, type KeyStore, memoryKeyStore } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { decided, killed, settled } from './support/log-records.ts';
import { queryServer } from './support/query-server.ts';
import { openRecording, type Recording } from './support/recording.ts';

const auditor = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'auditor' });
const COUNT = 5_203;

let recording: Recording;
let server: HttpServer;
let url: string;

beforeAll(async () => {
  recording = await openRecording();
  const decisions = Array.from({ length: COUNT }, (_, n) =>
    decided(n, { reason: n % 2 === 0 ? 'a\n"b"' : 'c' }),
  );
  await recording.append([
    ...decisions,
    ...decisions.slice(0, 5),
    ...Array.from({ length: 7 }, (_, n) => settled(n)),
    killed('kill-1', { scope: 'tenant', tenant: 'acme' }),
    decided(1, { tenant: 'globex', id: 'dec_theirs' }),
  ]);
  await (await recording.record()).caughtUp();
  server = await queryServer(recording.audit, memoryKeyStore([auditor.record]));
  url = await server.listen({ host: '127.0.0.1', port: 0 });
}, 120_000);
afterAll(async () => {
  server.server.closeAllConnections();
  await server.close();
  await recording.close();
});

function request(query: string, at = url): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${at}/v1/audit/export?${query}`, { headers: { 'x-api-key': auditor.key } }, resolve).on(
      'error',
      reject,
    );
  });
}

async function exported(query: string) {
  const answer = await request(query);
  const bytes = await buffer(answer);
  const {
    'mandate-rows': rows,
    'mandate-sha256': sha256,
    'mandate-last-id': lastId,
    'mandate-more': more,
  } = answer.trailers;
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    bytes,
    rows: Number(rows),
    sha256,
    lastId,
    more,
  };
}

const ids = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]));

test.each([
  ['ndjson', 'application/x-ndjson'],
  ['csv', 'text/csv; charset=utf-8; header=present'],
  ['parquet', 'application/vnd.apache.parquet'],
])('%s: the trailers state the number of rows, the hash and the last id', async (format, type) => {
  const file = await exported(`format=${format}`);
  const [newest] = await ask(recording.audit, searchDecisions, { tenant: 'acme', limit: 1 });
  expect(file).toMatchObject({
    status: 200,
    type,
    rows: COUNT,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
    lastId: newest?.id,
    more: 'false',
  });
  // ClickHouse itself reads the file.
  const path = join(recording.folder, `all.${format}`);
  writeFileSync(path, file.bytes);
  const as = { ndjson: 'JSONEachRow', csv: 'CSVWithNames', parquet: 'Parquet' }[format];
  const counted = (from: string, micros: string) =>
    recording.audit.query(
      `SELECT count() AS rows, uniqExact(id) AS ids, sum(${micros}) AS micros, countIf(reason LIKE 'a\\n%') AS lines FROM ${from}`,
      {},
      z.object({ rows: z.int(), ids: z.int(), micros: z.int(), lines: z.int() }),
    );
  expect(await counted(`file('${path}', ${as})`, 'toInt64(chargedMicros)')).toEqual(
    await counted("decisions FINAL WHERE tenant = 'acme'", 'charged_micros'),
  );
});

test('an export resumes after a given id, and can be split into parts', async () => {
  const whole = ids((await exported('')).bytes);
  const pieces: string[] = [];
  let after = '';
  for (let more: unknown = 'true'; more === 'true'; ) {
    const piece = await exported(`rows=2007${after}`);
    expect(piece.rows).toBe(ids(piece.bytes).length);
    pieces.push(...ids(piece.bytes));
    ({ more } = piece);
    after = `&after=${piece.lastId}`;
  }
  expect(pieces).toEqual(whole);
  const again = await exported(`after=${whole[9]}&through=${whole[12]}`);
  expect(ids(again.bytes)).toEqual(whole.slice(10, 13));
  expect(again.more).toBe('false');
});

test.each([
  ['a euro sign', '€', '%E2%82%AC'],
  ['a percent sign', '100%', '100%25'],
  ['a letter of Latin-1', 'é', '%C3%A9'],
])(
  'if `after` has the id %s, the answer names the id percent-encoded, and the file is complete',
  async (_name, after, told) => {
    const answer = await exported(`agent=nobody&after=${encodeURIComponent(after)}`);
    expect(answer).toMatchObject({ status: 200, rows: 0, lastId: told, more: 'false' });
  },
);

test('an export takes the filters of a search, and can export settlements and control events', async () => {
  expect(await exported('agent=agent-1&format=csv')).toMatchObject({ rows: Math.ceil((COUNT - 1) / 4) });
  expect(await exported('of=settlements&format=parquet')).toMatchObject({ rows: 7 });
  const kills = await exported('of=control-events&event=agent.killed&format=csv');
  expect(kills).toMatchObject({ rows: 1 });
  // A kill changes no budget, so a kill's row has empty budget fields.
  const [names = [], values = []] = kills.bytes
    .toString()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(values[names.indexOf('"deltaMicros"')]).toBe('');
  expect(await exported('agent=nobody&format=csv')).toMatchObject({ rows: 0, lastId: '', more: 'false' });
});

test.each([
  'of=settlements&tool=x',
  'of=control-events&actionId=a',
  'event=agent.killed',
  'of=control-events&event=memory_read',
  'of=settlements&event=memory_read',
  'format=parquet&rows=250001',
  'format=xml',
  'rows=0',
])('an export with %s is refused', async (query) => {
  expect(await exported(query)).toMatchObject({ status: 400 });
});

test('a key can have only a few exports at the same time; after one is abandoned, the next one can start', async () => {
  const slow = await Promise.all(Array.from({ length: 2 }, () => request('')));
  expect(await exported('')).toMatchObject({ status: 503 });
  for (const answer of slow) answer.destroy();
  await waitUntil('a place', async () => (await exported('rows=1')).status === 200);
});

test('an export stops between two parts if its key is revoked', async () => {
  let timesLetIn = 1;
  const keys: KeyStore = {
    ...memoryKeyStore([]),
    async find() {
      timesLetIn -= 1;
      return timesLetIn < 0 ? null : auditor.record;
    },
  };
  const own = await queryServer(recording.audit, keys);
  const answer = await request('', await own.listen({ host: '127.0.0.1', port: 0 }));
  expect(answer.statusCode).toBe(200);
  await expect(buffer(answer)).rejects.toThrow('aborted');
  await own.close();
});
