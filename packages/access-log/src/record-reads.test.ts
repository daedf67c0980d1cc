import type { Bus, Outgoing } from '@mandate/bus';
import { isMandateError, MandateError } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { type RecordRead, recordReads } from './record-reads.ts';

const READ: Parameters<RecordRead>[0] = {
  tenant: 'acme',
  key: { id: 'k1', name: 'auditor' },
  method: 'GET',
  route: '/v1/audit/decisions',
  parameters: { agent: 'bot' },
  refused: false,
  requestId: 'req-1',
};
const TRACE = 'f'.repeat(32);
const AT_MS = Date.UTC(2026, 0, 5);

function recording(append: Bus['append'], timeoutMs = 60_000): RecordRead {
  return recordReads({ bus: { append }, source: 'query', clock: () => AT_MS, timeoutMs });
}

test('records a read with its own id on the access topic, with the id of the trace but no traceparent header', async () => {
  const appended: Outgoing[] = [];
  const record = recording(async (topic, records) => {
    expect(topic).toBe(TOPICS.access);
    appended.push(...records);
    return [];
  });
  await record(READ, `00-${TRACE}-${'a'.repeat(16)}-01`);
  await record(READ, null);
  const [traced, untraced] = appended.map(({ value }) => readAccessRecord(Buffer.from(value)).read);
  expect(traced).toEqual({
    ...READ,
    id: expect.stringMatching(/^read_/),
    traceId: TRACE,
    at: '2026-01-05T00:00:00.000Z',
  });
  expect(untraced).toMatchObject({ traceId: null });
  expect(untraced?.id).not.toBe(traced?.id);
  expect(appended.map(({ partition, headers }) => [partition, headers?.ce_id, headers?.traceparent])).toEqual(
    [
      [0, traced?.id, undefined],
      [0, untraced?.id, undefined],
    ],
  );
});

test.each([
  ['is away', () => Promise.reject(new MandateError('BUS_UNAVAILABLE', 'k1 is down', { remedy: '' }))],
  ['throws', () => Promise.reject(new TypeError('broken'))],
  ['says nothing', () => new Promise<never>(() => {})],
])(
  'fails in bounded time if the log %s, with a retryable error that hides the message of the log',
  async (_, append) => {
    const error = await recording(append, 10)(READ, null).catch((thrown: unknown) => thrown);
    if (!isMandateError(error, 'READ_NOT_RECORDED')) throw error;
    expect(error.retryable).toBe(true);
    expect(error.message).not.toContain('k1');
  },
);

test('limits the reads that wait for the log, and accepts reads again after the log has answered', async () => {
  const answers: (() => void)[] = [];
  const record = recording(() => new Promise((resolve) => answers.push(() => resolve([]))));
  const waiting = Array.from({ length: 1_000 }, () => record(READ, null));
  await expect(record(READ, null)).rejects.toMatchObject({ code: 'READ_NOT_RECORDED', retryable: true });
  expect(answers).toHaveLength(1_000);
  answers[0]?.();
  await waiting[0];
  const next = record(READ, null);
  expect(answers).toHaveLength(1_001);
  for (const answer of answers) answer();
  await Promise.all([...waiting, next]);
});

const refusedAt = (id: string, route = '/v1/kill') => ({
  ...READ,
  key: { id, name: id },
  route,
  refused: true,
  parameters: { why: 'x' },
});

/** Returns the number of refused requests of each key, according to the records. */
function told(appended: readonly Outgoing[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { value } of appended) {
    const { key, refused, parameters } = readAccessRecord(Buffer.from(value)).read;
    const id = key?.id ?? '';
    if (refused) sums[id] = (sums[id] ?? 0) + Number(parameters.refusals ?? 1);
  }
  return sums;
}

test('counts every refusal of a flood, and still records the reads of accepted callers', async () => {
  const appended: Outgoing[] = [];
  const answers: (() => void)[] = [];
  const record = recording((_, records) => {
    appended.push(...records);
    return new Promise((resolve) => answers.push(() => resolve([])));
  });
  const flood = Array.from({ length: 3_000 }, (_, at) => record(refusedAt(`k${at % 3}`), null));
  expect(appended).toHaveLength(100);
  const reads = Array.from({ length: 1_000 }, () => record(READ, null));
  expect(appended).toHaveLength(1_100);
  await expect(record(READ, null)).rejects.toMatchObject({ code: 'READ_NOT_RECORDED' });
  const all = Promise.all([...flood, ...reads]);
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  expect(told(appended)).toEqual({ k0: 1_000, k1: 1_000, k2: 1_000 });
  expect(appended).toHaveLength(1_103);
  // A refusal that is recorded alone keeps its parameters.
  const late = record(refusedAt('k9'), null);
  answers.splice(0).forEach((answer) => void answer());
  await late;
  expect(readAccessRecord(Buffer.from(appended.at(-1)?.value ?? '')).read.parameters).toEqual({ why: 'x' });
});

test('lets a refused caller wait until its refusal is recorded, and rejects if the log fails', async () => {
  let isAway = false;
  const answers: (() => void)[] = [];
  const record = recording(() => {
    if (isAway) return Promise.reject(new TypeError('away'));
    return new Promise((resolve) => answers.push(() => resolve([])));
  });
  const alone = Array.from({ length: 100 }, () => record(refusedAt('k1'), null));
  const together = [1, 2].map(() => record(refusedAt('k2'), null).catch((error: unknown) => error));
  isAway = true;
  answers[0]?.();
  await alone[0];
  for (const error of await Promise.all(together)) expect(error).toMatchObject({ code: 'READ_NOT_RECORDED' });
  for (const answer of answers) answer();
  await Promise.all(alone);
});

test('limits how many keys and routes are counted at one time', async () => {
  const answers: (() => void)[] = [];
  const record = recording(() => new Promise((resolve) => answers.push(() => resolve([]))));
  const waiting = Array.from({ length: 1_100 }, (_, at) => record(refusedAt('k', `/v1/${at}`), null));
  await expect(record(refusedAt('k', '/v1/more'), null)).rejects.toMatchObject({ code: 'READ_NOT_RECORDED' });
  for (let round = 0; round < 12; round += 1) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  await Promise.all(waiting);
});
