import type { Bus, Outgoing } from '@mandate/bus';
import { MandateError } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countRefusals } from './count-refusals.ts';

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
  const warned: string[] = [];
  const take: Bus['append'] = async (topic, records) => {
    expect(topic).toBe(TOPICS.access);
    appended.push(...records);
    return [];
  };
  const destination = { write: (line: string) => void warned.push(JSON.parse(line).msg) };
  const log = createLogger({ name: 'test', level: 'warn', destination });
  const refusals = countRefusals({
    bus: { append: append ?? take },
    source: 'query',
    clock: Date.now,
    log,
  });
  const told = () =>
    appended.map(({ value }) => {
      const { tenant, key, route, parameters } = readAccessRecord(Buffer.from(value)).read;
      const agent = parameters.agent === undefined ? '' : ` ${parameters.agent}`;
      return `${tenant} ${key?.id} ${route}${agent} ${parameters.refusals ?? 1}`;
    });
  return { ...refusals, appended, warned, take, told };
}

const away = () =>
  Promise.reject(new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true }));

test('records the first refusal at once, with its parameters', async () => {
  const { note, appended, close } = noting();
  note(READ);
  note({ ...READ, tenant: null, key: null });
  expect(appended).toHaveLength(2);
  await close();
  const at = '2026-01-05T00:00:00.000Z';
  const [known, nobodys] = appended.map(({ value }) => readAccessRecord(Buffer.from(value)).read);
  expect(known).toEqual({ ...READ, id: expect.stringMatching(/^read_/), traceId: null, at });
  expect(nobodys).toMatchObject({ tenant: null, key: null, code: 'UNAUTHENTICATED', at });
  expect(appended.map(({ key, partition }) => [key, partition])).toEqual([
    ['acme', 0],
    [null, 0],
  ]);
});

test('counts all refusals of one key at one route in one record', async () => {
  const { note, told, close } = noting();
  const at = (route: string, id = 'k1') => note({ ...READ, route, key: { id, name: id } });
  at('/v1/rules');
  for (let times = 0; times < 7; times += 1) at('/v1/rules');
  at('/v1/kill');
  at('/v1/rules', 'k2');
  await vi.advanceTimersByTimeAsync(4_999);
  expect(told()).toEqual(['acme k1 /v1/rules 1']);
  await vi.advanceTimersByTimeAsync(1);
  expect(told().slice(1)).toEqual(['acme k1 /v1/rules 7', 'acme k1 /v1/kill 1', 'acme k2 /v1/rules 1']);
  await vi.advanceTimersByTimeAsync(10_000);
  at('/v1/rules');
  expect(told()).toHaveLength(5);
  await close();
});

test('counts refusals for each agent, and the refusals of further agents in one common count', async () => {
  const { note, told, warned, close } = noting();
  note(READ);
  for (let n = 0; n < 250; n += 1)
    for (let times = 0; times < 3; times += 1) note({ ...READ, parameters: { agent: `a${n}` } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told()).toHaveLength(1 + 200 + 1);
  expect(told()[1]).toBe('acme k1 /v1/rules a0 3');
  expect(told().at(-1)).toBe('acme k1 /v1/rules 150');
  expect(warned).toEqual([]);
  await close();
});

test('appends one record a minute while refusals continue', async () => {
  const { note, told, close } = noting();
  for (let second = 0; second < 600; second += 1) {
    note(READ);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // Records are appended after 0, 5, 15, 35 and 75 s, and then every 60 s.
  expect(told()).toHaveLength(5 + 8);
  await close();
  const sum = told().reduce((total, one) => total + Number(one.split(' ').at(-1)), 0);
  expect(sum).toBe(600);
});

test('counts refusals while the log is away, warns once, and records them when the log is back', async () => {
  let isAway = true;
  const { note, told, warned, take, close } = noting((...given) => (isAway ? away() : take(...given)));
  note(READ);
  await vi.advanceTimersByTimeAsync(0);
  note(READ);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(told()).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told()).toEqual(['acme k1 /v1/rules 2']);
  expect(warned).toEqual(['refusals (401, 429) are counted until the log accepts a record of them']);
  await close();
});

test('limits the number of counts of one tenant, warns about the other refusals, and keeps the counts of other tenants', async () => {
  const { note, told, warned, close } = noting();
  note(READ);
  for (let n = 0; n < 500; n += 1) note({ ...READ, route: `/v1/${n}` });
  note({ ...READ, tenant: 'globex' });
  expect(told()).toEqual(['acme k1 /v1/rules 1', 'globex k1 /v1/rules 1']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told()).toHaveLength(302);
  expect(warned).toEqual(['too many refusals (401, 429): these refusals are not recorded']);
  await close();
});

test('records the waiting counts at close, and waits at most a second if the log does not answer', async () => {
  const { note, told, close } = noting();
  note(READ);
  await vi.advanceTimersByTimeAsync(0);
  note(READ);
  note(READ);
  await close();
  expect(told()).toEqual(['acme k1 /v1/rules 1', 'acme k1 /v1/rules 2']);
  await close();

  const silent = noting(() => new Promise(() => {}));
  silent.note(READ);
  let closed = 0;
  for (const closing of [silent.close(), silent.close()]) void closing.then(() => (closed += 1));
  await vi.advanceTimersByTimeAsync(1_000);
  void silent.close().then(() => (closed += 1));
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toBe(3);

  const failing = noting(away);
  failing.note(READ);
  await failing.close();
});
