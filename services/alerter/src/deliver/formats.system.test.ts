/** Tests deliveries in the formats of chats and of PagerDuty to real HTTP servers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createLogger } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alerterOn, fate, kill, openLog, publish, settledFate } from '../alerter.fixture.ts';
import { approved, decided } from '../rules/decided.fixture.ts';

type Service = { url: string; bodies: Record<string, unknown>[] };

/** Starts a server that records the bodies that it gets, and answers request number `n` with `statusOf(n)`. */
async function startService(statusOf: (n: number) => number | Promise<number> = () => 200): Promise<Service> {
  const service: Service = { url: '', bodies: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    service.bodies.push(JSON.parse(body));
    expect(request.headers).not.toHaveProperty('webhook-signature');
    response.writeHead(await statusOf(service.bodies.length)).end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  service.url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/hook/T0KEN`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return service;
}

const ROUTING_KEY = 'R0UT1NGKEY'.padEnd(32, 'x');

const chat = ({ url }: Service, format: string, given: object = {}) => ({
  receiver: { url, secret: url },
  name: format,
  ...{ format, url: { env: format.toUpperCase() }, secrets: undefined },
  ...given,
});

const pager = ({ url }: Service, given: object = {}) => ({
  receiver: { url, secret: ROUTING_KEY },
  name: 'pager',
  ...{ format: 'pagerduty', routingKey: { env: 'PAGER' }, secrets: undefined },
  ...given,
});

const question = (n: number) =>
  decided(n, { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', decidedAt: new Date().toISOString() });
const answer = (n: number) => {
  const asked = question(n);
  const { tenant, agentId, actionId } = asked.event === 'action.decided' ? asked.decision : raise();
  return approved(n + 1, {
    tenant,
    agentId,
    actionId,
    ledgerSequence: 100 + n,
    at: new Date().toISOString(),
  });
};

function raise(): never {
  throw new Error('not a decision');
}

test('Slack and Teams get their own bodies, and a failed attempt is repeated', async () => {
  const bus = await openLog();
  const [slack, teams] = [await startService((n) => (n === 1 ? 500 : 200)), await startService(() => 202)];
  const alerter = await alerterOn(bus, [chat(slack, 'slack'), chat(teams, 'teams')], {
    consoleUrl: 'https://c.example',
  });
  await publish(bus, [kill(1)]);
  expect(await settledFate(alerter, 'slack')).toEqual(['delivered 2']);
  expect(await settledFate(alerter, 'teams')).toEqual(['delivered 1']);
  expect(slack.bodies).toHaveLength(2);
  expect(slack.bodies[1]).toEqual(slack.bodies[0]);
  expect(slack.bodies[0]).toMatchObject({ text: expect.stringContaining('it loops'), blocks: {} });
  expect(JSON.stringify(slack.bodies)).toContain('"url":"https://c.example/agents/bot"');
  expect(teams.bodies).toMatchObject([{ attachments: [{ content: { version: '1.5' } }] }]);
});

test('no log line and no reason contains the address of a chat or a routing key', async () => {
  const bus = await openLog();
  const [slack, pagerDuty] = [await startService(() => 500), await startService(() => 400)];
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } });
  const told = [chat(slack, 'slack', { attempts: 2 }), pager(pagerDuty, { attempts: 2 })];
  const alerter = await alerterOn(bus, told, { log });
  await publish(bus, [kill(1)]);
  for (const name of ['slack', 'pager']) {
    expect(await settledFate(alerter, name)).toEqual(['undelivered 2']);
  }
  const listed = JSON.stringify(
    [...alerter.book.newestFirst()].map(({ alert, deliveries }) => [alert, [...deliveries]]),
  );
  expect(listed).toContain('it answered 400');
  expect(lines.join('')).toContain('an alert was not delivered');
  for (const text of [listed, lines.join('')]) expect(text).not.toMatch(/T0KEN|R0UT1NGKEY/);
});

test('an answer resolves the incident that the question opened', async () => {
  const bus = await openLog();
  const service = await startService(() => 202);
  const alerter = await alerterOn(bus, [pager(service)]);
  await publish(bus, [question(1)]);
  await settledFate(alerter, 'pager');
  await publish(bus, [answer(1)]);
  expect(await settledFate(alerter, 'pager', 2)).toEqual(['delivered 1', 'delivered 1']);
  const [opened, over] = service.bodies;
  expect(opened).toMatchObject({ event_action: 'trigger', routing_key: ROUTING_KEY });
  expect(over).toMatchObject({ event_action: 'resolve', dedup_key: opened?.dedup_key });
});

test('an incident whose alarm is over is not opened after its end', async () => {
  const bus = await openLog();
  const first = Promise.withResolvers<number>();
  const service = await startService((n) => (n === 1 ? first.promise : 202));
  const alerter = await alerterOn(bus, [pager(service)]);
  await publish(bus, [question(1)]);
  await waitUntil('the first attempt', () => service.bodies.length === 1);
  await publish(bus, [answer(1)]);
  await waitUntil('the end to be known', () => fate(alerter, 'pager').length === 2);
  first.resolve(500);
  expect(await settledFate(alerter, 'pager', 2)).toEqual(['undelivered 1', 'delivered 1']);
  expect(service.bodies.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
});
