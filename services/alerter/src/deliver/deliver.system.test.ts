/** Tests deliveries to receivers that answer, refuse, redirect, never answer, or are gone. */

import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { alerterOn, fate, kill, openLog, publish, settledFate } from '../alerter.fixture.ts';
import { type Answers, startReceiver } from '../receiver.fixture.ts';
import { decided } from '../rules/decided.fixture.ts';

test('a kill is delivered once, with a signature; a kill before the start of alerting is not delivered', async () => {
  const bus = await openLog();
  const receiver = await startReceiver();
  await publish(bus, [kill(1)]);
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(2)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['delivered 1']);
  expect(receiver.received).toMatchObject([
    {
      type: 'alert.raised',
      data: { rule: 'kill', tenant: 'acme', subject: 'kill-2', facts: { reason: 'it loops' } },
    },
  ]);
  expect(receiver.received[0]?.id).toBe(receiver.received[0]?.data.id);
  expect(receiver.forged).toEqual([]);
});

test.each<[string, Answers, object, string]>([
  [
    'fails twice gets the alert again, with the same id',
    (n) => ({ status: n < 3 ? 500 : 200 }),
    {},
    'delivered 3',
  ],
  ['always fails is given up', () => ({ status: 503 }), { attempts: 3 }, 'undelivered 3'],
  ['hangs is given up', () => 'hang', { attempts: 2, timeoutMs: 500 }, 'undelivered 2'],
  ['is gone gets no second attempt', () => ({ status: 410 }), { attempts: 5 }, 'undelivered 1'],
])('handles a receiver that %s', async (_name, answers, fields, came) => {
  const bus = await openLog();
  const receiver = await startReceiver(answers);
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', ...fields }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual([came]);
  expect(receiver.received).toHaveLength(Number(came.split(' ')[1]));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
});

test('waits as long as a receiver asks', async () => {
  const bus = await openLog();
  const receiver = await startReceiver((n) =>
    n === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
  );
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['delivered 2']);
  const [first, second] = receiver.received.map(({ cameMs }) => cameMs);
  // The limit is 995 and not 1,000, because timers may fire slightly early.
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(995);
});

test('an alert links to the console of the rule file, or of the plane, or has no link', async () => {
  const bus = await openLog();
  const decidedAt = new Date().toISOString();
  const receiver = await startReceiver();
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }]);
  await publish(bus, [kill(1)]);
  await settledFate(alerter, 'ops');
  alerter.linkTo('http://127.0.0.1:7420');
  await publish(bus, [decided(2, { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', decidedAt })]);
  await settledFate(alerter, 'ops', 2);
  await alerter.stop();
  const again = await alerterOn(bus, [{ receiver, name: 'ops' }], { consoleUrl: 'https://c.example' });
  again.linkTo('http://127.0.0.1:7420');
  await publish(bus, [kill(3)]);
  await settledFate(again, 'ops', 3);
  const [first, approval, last] = receiver.received.map(({ data }) => data);
  expect(first).not.toHaveProperty('link');
  expect(approval?.link).toBe(`http://127.0.0.1:7420/approvals/${approval?.facts.approvalId}`);
  expect(last?.link).toBe('https://c.example/agents/bot');
});

test('does not follow a redirect', async () => {
  const bus = await openLog();
  const elsewhere = await startReceiver();
  const receiver = await startReceiver(() => ({ status: 307, headers: { location: elsewhere.url } }));
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops', attempts: 1 }]);
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'ops')).toEqual(['undelivered 1']);
  expect([...elsewhere.received, ...elsewhere.forged]).toEqual([]);
});

test('a dead receiver delays no other receiver, and its queue is bounded', async () => {
  const bus = await openLog();
  const [dead, alive] = [await startReceiver(() => 'hang'), await startReceiver()];
  const alerter = await alerterOn(
    bus,
    [
      { receiver: dead, name: 'dead' },
      { receiver: alive, name: 'alive' },
    ],
    { mostWaiting: 2 },
  );
  await publish(bus, [kill(1), kill(2)]);
  await settledFate(alerter, 'alive', 2);
  await publish(bus, [kill(3)]);
  expect(await settledFate(alerter, 'alive', 3)).toEqual(Array(3).fill('delivered 1'));
  await waitUntil('the third to be given up', () => fate(alerter, 'dead').includes('undelivered 0'));
  expect(fate(alerter, 'dead').sort()).toEqual(['undelivered 0', 'waiting', 'waiting']);
  const { book } = alerter;
  expect([...book.waiting()]).toHaveLength(2);
});

test("a flood of alerts of one tenant leaves other tenants their share of a shared webhook's queue, and their turn", async () => {
  const bus = await openLog();
  const first = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver((n) => (n === 1 ? first.promise : { status: 204 }));
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }], { mostWaiting: 4 });
  const decidedAt = new Date().toISOString();
  const deferred = (n: number, tenant: string) =>
    decided(n, { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', decidedAt, tenant });
  const undelivered = () => fate(alerter, 'ops').filter((one) => one === 'undelivered 0').length;
  await publish(
    bus,
    [1, 2, 3, 4, 5, 6].map((n) => deferred(n, 'acme')),
  );
  await waitUntil('two of the flood to be given up', () => undelivered() === 2);
  await publish(bus, [deferred(7, 'other')]);
  await waitUntil('a third of the flood to give way', () => undelivered() === 3);
  first.resolve({ status: 204 });
  expect((await settledFate(alerter, 'ops', 7)).at(-1)).toBe('delivered 1');
  expect(receiver.received.map(({ data }) => data.tenant)).toEqual(['acme', 'acme', 'other', 'acme']);
});

test('delivers a kill before all other alerts that wait', async () => {
  const bus = await openLog();
  const first = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver((n) => (n === 1 ? first.promise : { status: 204 }));
  const alerter = await alerterOn(bus, [{ receiver, name: 'ops' }], { mostWaiting: 2 });
  const decidedAt = new Date().toISOString();
  const defer = { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', decidedAt } as const;
  await publish(bus, [decided(1, defer), decided(2, defer), decided(3, defer)]);
  await waitUntil('the third to be given up', () => fate(alerter, 'ops').includes('undelivered 0'));
  await publish(bus, [kill(4)]);
  await waitUntil('the kill to be known', () => fate(alerter, 'ops').length === 4);
  first.resolve({ status: 204 });
  await settledFate(alerter, 'ops', 4);
  expect(receiver.received.map(({ data }) => data.rule)).toEqual(['approval', 'kill', 'approval']);
});
