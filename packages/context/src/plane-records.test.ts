import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { contextBuilt } from '@mandate/schemas';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type BuildRecord, newRecordId, recordable } from './build-record.ts';
import { type ContextRecordsOptions, contextRecords } from './plane-records.ts';

function recordOf(requestId: string): BuildRecord {
  return {
    ...{ id: newRecordId(Date.now()), requestId, agentId: 'context-builder', actionId: null },
    ...{ parentActionId: null, principal: null, builtAt: new Date().toISOString() },
    steps: {
      manifest_builder: {
        ...{
          enabled: true,
          skipped: true,
          skip_reason: 'clarification_turn',
          template_key: 't',
          input: null,
        },
        ...{ output: null, latency_ms: null, prompt_debug: null, error: null },
      },
    },
  };
}

type Answer = (requestIds: readonly string[]) => number | Promise<number>;

/** A plane that answers as the test says. */
async function plane(first: Answer, options: Partial<ContextRecordsOptions> = {}) {
  const requests: { ids: string[]; headers: IncomingMessage['headers']; url: string | undefined }[] = [];
  const it = { answer: first };
  const server = createServer(async (request, response) => {
    const body: { build: BuildRecord }[] = JSON.parse(await text(request));
    const ids = body.map(({ build }) => build.requestId);
    requests.push({ ids, headers: request.headers, url: request.url });
    response.writeHead(await it.answer(ids)).end('{"code":"SAID"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const errors: string[] = [];
  const records = contextRecords({
    url: `http://127.0.0.1:${address.port}`,
    apiKey: 'mandate_key',
    onError: (error) => errors.push(String(error)),
    ...options,
  });
  onTestFinished(() => records.close({ timeoutMs: 1 }));
  return { records, requests, errors, it };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`);

test('sends the records of one turn together, in order and with the key', async () => {
  const { records, requests } = await plane(() => 200);
  for (const id of ids(60)) records.record(recordOf(id));
  expect(requests).toEqual([]);
  await records.flush();
  expect(requests.map((request) => request.ids)).toEqual([ids(50), ids(60).slice(50)]);
  expect(requests[0]).toMatchObject({ url: '/v1/context', headers: { authorization: 'Bearer mandate_key' } });
  expect(records.counts()).toEqual({ sent: 60, waiting: 0, dropped: 0 });
});

test('sends the same records again after a failure', async () => {
  const { records, requests, it, errors } = await plane(() => 503);
  records.record(recordOf('a'));
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  it.answer = () => 200;
  await records.flush();
  expect(records.counts()).toEqual({ sent: 1, waiting: 0, dropped: 0 });
  expect(errors[0]).toContain('503');
});

test('drops a record that the plane refuses, and no other', async () => {
  const { records, errors } = await plane((sent) => (sent.includes('r1') ? 400 : 200));
  for (const id of ids(3)) records.record(recordOf(id));
  await records.flush();
  expect(records.counts()).toEqual({ sent: 2, waiting: 0, dropped: 1 });
  expect(errors).toEqual([expect.stringContaining('the plane answered 400 {"code":"SAID"}')]);
});

test('drops and counts a record beyond its limit, and never waits', async () => {
  const { records } = await plane(() => new Promise(() => {}), { maxWaiting: 2 });
  const began = performance.now();
  for (const id of ids(100)) records.record(recordOf(id));
  expect(performance.now() - began).toBeLessThan(100);
  expect(records.counts()).toEqual({ sent: 0, waiting: 2, dropped: 98 });
});

test('limits the size of all waiting records too', async () => {
  const { records } = await plane(() => new Promise(() => {}));
  const large = recordOf('x'.repeat(1 << 20));
  for (let times = 0; times < 20; times += 1) records.record(large);
  expect(records.counts().waiting).toBeLessThan(17);
  expect(records.counts().dropped).toBeGreaterThan(3);
});

test('close drops the records that a dead plane did not accept, and later records', async () => {
  const records = contextRecords({ url: 'http://127.0.0.1:9', apiKey: 'k', onError: () => {} });
  records.record(recordOf('a'));
  await records.close({ timeoutMs: 50 });
  records.record(recordOf('b'));
  expect(records.counts()).toEqual({ sent: 0, waiting: 0, dropped: 2 });
});

test('a handler that throws stops nothing', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const onError = () => {
    throw new Error('handler');
  };
  const { records } = await plane((sent) => (sent.includes('bad') ? 400 : 200), { onError });
  records.record(recordOf('bad'));
  await records.flush();
  records.record(recordOf('good'));
  await records.flush();
  expect(records.counts()).toMatchObject({ sent: 1, dropped: 1 });
  expect(warned).toHaveBeenCalled();
  warned.mockRestore();
});

test('makes records in the form that the plane accepts', () => {
  const build = { ...recordOf('a'), tenant: 'acme' };
  const logged = { event: 'context.built', reportedBy: { keyId: 'k' }, build };
  expect(contextBuilt.parse(logged)).toEqual(logged);
});

test.each(['a', '\u0000', '€', '😀', '"'])(
  'cuts a text of many %j, so that its record stays small',
  (part) => {
    expect(recordable(part.repeat(100))).toBe(part.repeat(100));
    const cut = recordable(part.repeat(200_000));
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(60_002);
    expect(cut.length).toBeGreaterThan(0);
  },
);
