import { isMandateError, MandateError } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Bus, Outgoing } from './port.ts';
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

test('a read is a record of the access topic, with an id of its own, and says of which trace it is without going on with it', async () => {
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
  'a log that %s is an error in bounded time, which tells nothing of it but keeps the cause',
  async (_, append) => {
    const error = await recording(append, 10)(READ, null).catch((thrown: unknown) => thrown);
    if (!isMandateError(error, 'READ_NOT_RECORDED')) throw error;
    expect(error.retryable).toBe(true);
    expect(error.message).not.toContain('k1');
  },
);

test('so many may wait for the log and no more; with an answer there is room again', async () => {
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
