import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bus, Outgoing } from './port.ts';
import { recordStrangers } from './record-strangers.ts';

const READ = {
  tenant: 'acme',
  key: { id: 'k1', name: 'ann' },
  method: 'GET',
  route: '/v1/rules',
  parameters: {},
  refused: true,
  code: 'UNAUTHENTICATED',
  requestId: 'req-1',
};
const AT_MS = Date.UTC(2026, 0, 5);

beforeEach(() => void vi.useFakeTimers({ now: AT_MS }));
afterEach(() => void vi.useRealTimers());

function noting(append?: Bus['append']) {
  const appended: Outgoing[] = [];
  const take: Bus['append'] = async (topic, records) => {
    expect(topic).toBe(TOPICS.access);
    appended.push(...records);
    return [];
  };
  const strangers = recordStrangers({
    bus: { append: append ?? take },
    source: 'query',
    clock: Date.now,
    timeoutMs: 1_000,
    everyMs: 5_000,
  });
  const told = () =>
    appended.map(({ value }) => {
      const { key, route, parameters } = readAccessRecord(Buffer.from(value)).read;
      return `${key?.id ?? 'nobody'} ${route} ${parameters.refusals ?? 1}`;
    });
  return { ...strangers, appended, take, told };
}

test('the first is on the log at once, as what it is', async () => {
  const { note, appended, close } = noting();
  note(READ, `00-${'f'.repeat(32)}-${'a'.repeat(16)}-01`);
  note({ ...READ, tenant: null, key: null }, null);
  await close();
  const at = '2026-01-05T00:00:00.000Z';
  const [known, nobodys] = appended.map(({ value }) => readAccessRecord(Buffer.from(value)).read);
  expect(known).toEqual({ ...READ, id: expect.stringMatching(/^read_/), traceId: 'f'.repeat(32), at });
  expect(nobodys).toMatchObject({ tenant: null, key: null, code: 'UNAUTHENTICATED', traceId: null, at });
  expect(appended.map(({ key, partition }) => [key, partition])).toEqual([
    ['acme', 0],
    [null, 0],
  ]);
});

test('those of one key at one route within a while are one record, which counts them; others are others', async () => {
  const { note, told, close } = noting();
  const at = (route: string, id: string | null = 'k1') =>
    note({ ...READ, route, key: id === null ? null : { id, name: id } }, null);
  at('/v1/rules');
  for (let times = 0; times < 7; times += 1) at('/v1/rules');
  at('/v1/kill');
  at('/v1/rules', 'k2');
  at('/v1/rules', null);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(told()).toEqual(['k1 /v1/rules 1']);
  await vi.advanceTimersByTimeAsync(1);
  expect(told().slice(1)).toEqual([
    'k1 /v1/rules 7',
    'k1 /v1/kill 1',
    'k2 /v1/rules 1',
    'nobody /v1/rules 1',
  ]);
  // Where none came for a while, the next is at once on the log again.
  await vi.advanceTimersByTimeAsync(5_000);
  at('/v1/rules');
  await vi.advanceTimersByTimeAsync(0);
  expect(told()).toHaveLength(6);
  await close();
});

test('while the log is away they are counted, and are on record once it is back', async () => {
  let isAway = true;
  const { note, told, take, close } = noting((...given) =>
    isAway ? Promise.reject(new Error('away')) : take(...given),
  );
  note(READ, null);
  await vi.advanceTimersByTimeAsync(0);
  note(READ, null);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told()).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told()).toEqual(['k1 /v1/rules 2']);
  await close();
});

test('only so many keys and routes are noted at a time', async () => {
  const { note, told, close } = noting();
  note(READ, null);
  for (let n = 0; n < 1_500; n += 1) note({ ...READ, route: `/v1/${n}` }, null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told()).toHaveLength(1_001);
  await close();
});

test('closing puts on record what waits, and waits for no log that says nothing', async () => {
  const { note, told, close } = noting();
  note(READ, null);
  await vi.advanceTimersByTimeAsync(0);
  note(READ, null);
  note(READ, null);
  await close();
  expect(told()).toEqual(['k1 /v1/rules 1', 'k1 /v1/rules 2']);
  await close();

  const silent = noting(() => new Promise(() => {}));
  silent.note(READ, null);
  const closed = silent.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;

  const away = noting(() => Promise.reject(new Error('away')));
  away.note(READ, null);
  await away.close();
});
