/** Tests `mandate tail` against a server that answers as the test says, and that can disconnect. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../program.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const decision = (n: number) => ({
  id: `dec_${n}`,
  decidedAt: '2026-01-30T12:00:00.000Z',
  verdict: 'ALLOW',
  agentId: 'bot',
  tool: `tool-${n}`,
  model: null,
  code: 'ALLOWED',
  chargedMicros: 1,
});
const control = (id: string, given: object = {}) => ({
  id,
  event: 'agent.killed',
  happenedAt: '2026-01-30T12:00:01.000Z',
  scope: 'all',
  agentId: null,
  actionId: null,
  ...given,
});
const controlEvent = (id: string) => `id: at-${id}\nevent: control\ndata: ${JSON.stringify(control(id))}\n\n`;
const event = (n: number) => `id: at-${n}\nevent: decision\ndata: ${JSON.stringify(decision(n))}\n\n`;

/**
 * A plane with the decisions `before` in the audit. Each request for the stream gets the next answer of `streams`.
 */
async function tailing(
  streams: Answer[],
  { args = [], before = [], done = [] }: { args?: string[]; before?: number[]; done?: object[] } = {},
) {
  const asked: { url: URL; lastId: unknown }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://plane');
    if (url.pathname === '/v1/audit/decisions') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ decisions: before.map(decision), next: null }));
      return;
    }
    if (url.pathname === '/v1/audit/control-events') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ events: done, next: null }));
      return;
    }
    asked.push({ url, lastId: request.headers['last-event-id'] });
    const answer = streams.shift();
    if (answer === undefined) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = { out: '', err: '' };
  stdout.on('data', (text) => {
    said.out += text;
  });
  stderr.on('data', (text) => {
    said.err += text;
  });
  const stopping = new AbortController();
  const { port } = server.address() as AddressInfo;
  const exited = runProgram(['tail', '--json', ...args], {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { MANDATE_URL: `http://127.0.0.1:${port}`, MANDATE_API_KEY: 'sk-mdt_x' },
    signal: stopping.signal,
  });
  onTestFinished(async () => {
    stopping.abort();
    await exited;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const shown = () => said.out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]));
  return { asked, said, shown, exited, stop: () => stopping.abort() };
}

const streamed =
  (text: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  };
const refused =
  (status: number, code: string): Answer =>
  (_request, response) => {
    const body = { status, code, detail: 'no', remedy: 'do something' };
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  };

test('shows recorded and then new decisions once each, continues after a disconnection, and reports each disconnection once', async () => {
  const { asked, said, shown, exited, stop } = await tailing(
    [
      streamed(`retry: 1\nid: at-0\n\n${event(2)}${event(3)}`),
      refused(503, 'STOPPING'),
      (request) => request.socket.destroy(),
      streamed(event(4)),
    ],
    { before: [2, 1], args: ['--verdict', 'ALLOW', '--tool', 'a', '--tool', 'b'] },
  );
  await waitUntil('all of them', () => shown().length === 4);
  expect(shown()).toEqual(['dec_1', 'dec_2', 'dec_3', 'dec_4']);
  expect(asked.slice(0, 4).map(({ lastId }) => lastId)).toEqual([undefined, 'at-3', 'at-3', 'at-3']);
  expect(asked[0]?.url.searchParams.toString()).toBe('verdict=ALLOW&tool=a&tool=b');
  await waitUntil('it is back', () => asked.length === 5);
  expect(asked[4]?.lastId).toBe('at-4');
  expect(said.err.match(/the plane does not answer/g)).toHaveLength(2);
  stop();
  expect(await exited).toBe(0);
});

test('begins at the time of --since, without earlier decisions', async () => {
  const { asked, shown } = await tailing([streamed(event(1))], { before: [7], args: ['--since', '1h'] });
  await waitUntil('the one', () => shown().length === 1);
  expect(Date.parse(asked[0]?.url.searchParams.get('since') ?? '')).toBeLessThan(Date.now());
  expect(shown()).toEqual(['dec_1']);
});

test('shows control events among the decisions, also in the first lines, and each event once', async () => {
  const { said, shown } = await tailing(
    [streamed(`${controlEvent('kill-2')}${controlEvent('kill-3')}${event(3)}`)],
    {
      before: [2, 1],
      done: [control('kill-2'), control('kill-1', { happenedAt: '2026-01-30T11:00:00.000Z' })],
      args: ['--lines', '3'],
    },
  );
  await waitUntil('all of them', () => shown().length === 5);
  expect(shown()).toEqual(['dec_1', 'dec_2', 'kill-2', 'kill-3', 'dec_3']);
  expect(said.out).toContain(`${JSON.stringify(control('kill-3'))}\n`);
});

test('begins with the control events that match the filters, or with none if these filters exclude all control events', async () => {
  const done = [
    control('other', { scope: 'agent', agentId: 'other' }),
    control('bot', { scope: 'agent', agentId: 'bot' }),
    control('all'),
    control('epoch', { event: 'ledger.epoch' }),
  ];
  const begun = async (...args: string[]) => {
    const { asked, shown } = await tailing([streamed(event(9))], { done, args });
    await waitUntil('what the stream tells', () => shown().includes('dec_9'));
    return [shown().slice(0, -1).sort(), asked[0]?.url.searchParams.toString()];
  };
  expect(await begun('--agent', 'bot')).toEqual([['all', 'bot', 'epoch'], 'agent=bot']);
  expect(await begun('--verdict', 'BLOCK')).toEqual([[], 'verdict=BLOCK']);
  expect(await begun('--events', 'decision')).toEqual([[], 'events=decision']);
  expect(await begun('--events', 'decision', '--events', 'ledger.epoch')).toEqual([
    ['epoch'],
    'events=decision&events=ledger.epoch',
  ]);
});

test('says that the plane is too old if it has no live audit', async () => {
  const { said, exited } = await tailing([refused(404, 'NOT_FOUND')]);
  expect(await exited).toBe(1);
  expect(said.err).toMatch(/is older than this command: it has no live audit\n {2}Upgrade the plane/);
});

test('exits at an error that a retry cannot remove', async () => {
  const { said, exited } = await tailing([streamed(event(1)), refused(401, 'UNAUTHENTICATED')]);
  expect(await exited).toBe(2);
  expect(said.err).toContain('(UNAUTHENTICATED)');
});
