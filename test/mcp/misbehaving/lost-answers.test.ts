/** A call over HTTP is sent once more if its server gave no answer, and has said that a repeated call has no effect. */
import type { ServerResponse } from 'node:http';
import { Callers, startHttpProxy } from '@mandate/mcp';
import { Mandate } from '@mandate/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { callOf } from '../lessons/open-through.ts';
import { type RawRequest, sendJson, serveRaw } from './raw-http-server.ts';

type Answer = (response: ServerResponse, request: RawRequest) => void | Promise<void>;

/** The price of each call, and what the agent may spend. */
const [PRICE_MICROS, BUDGET_MICROS] = [1_000_000, 9_000_000];

const TOOLS = [
  { name: 'read', annotations: { readOnlyHint: true } },
  { name: 'put', annotations: { idempotentHint: true, destructiveHint: false } },
  { name: 'wipe', annotations: { destructiveHint: true } },
  { name: 'contradicts', annotations: { readOnlyHint: true, destructiveHint: true } },
  { name: 'plain' },
];

/** Starts a proxy before a server that gives these answers to calls, one for each request. */
async function proxyBefore(
  answers: readonly Answer[],
  { repeats = true, usesHints = true, mandate = {} } = {},
) {
  const left = [...answers];
  const server = await serveRaw(async (request, response) => {
    if (request.frame.method === 'tools/call') await left.shift()?.(response, request);
    else response.writeHead(202).end();
  }, TOOLS);
  const decided: string[] = [];
  const warnings: string[] = [];
  const tool = { cost: 1, requiresConfirmation: false };
  const toolPolicies = Object.fromEntries(TOOLS.map(({ name }) => [name, tool]));
  const sdk = new Mandate({
    mandate: { allowedTools: ['*'], maxCostTotal: 9, toolPolicies, ...mandate } as never,
    audit: [
      (records) => {
        for (const record of records) {
          const { event, decision } = record as { event?: string; decision?: { actionId: string } };
          if (event === 'action.decided' && decision !== undefined) decided.push(decision.actionId);
        }
      },
    ],
  });
  const proxy = await startHttpProxy({
    ...{ host: '127.0.0.1', port: 0, upstream: new URL(server.url), knownHosts: [], mostBytes: 1_000_000 },
    callers: new Callers({ agentId: 'coder', principalId: undefined, runId: undefined }, sdk, null),
    settings: {
      ...{ prefix: '', filtersLists: true, defer: 'error', holdMs: 1_000 },
      ...{ usesHints, pins: null, approvalUrl: null },
    },
    repeats,
    warn: (text) => void warnings.push(text),
  });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await proxy.stop();
  });
  const post = (frame: object, signal?: AbortSignal) =>
    fetch(proxy.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': 's1',
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...frame }),
      ...(signal && { signal }),
    });
  return {
    ...{ sdk, server, warnings, post },
    call: (
      name: string,
      params: object = {},
      { id = 1, signal }: { id?: number; signal?: AbortSignal } = {},
    ) => {
      const { method, params: own } = callOf(id, name);
      return post({ id, method, params: { ...own, ...params } }, signal);
    },
    calls: () => server.requests.filter(({ frame }) => frame.method === 'tools/call').length,
    /** The actions that were decided, and what the agent was charged. */
    async record() {
      await sdk.flush();
      return {
        decided: decided.length,
        chargedMicros: BUDGET_MICROS - ((await sdk.getRemainingBudget('coder')) ?? 0),
      };
    },
  };
}

type Proxy = Awaited<ReturnType<typeof proxyBefore>>;

const DROPS: Answer = (response) => void response.destroy();
const DONE: Answer = (response, { frame }) =>
  sendJson(response, { jsonrpc: '2.0', id: frame.id, result: { content: [{ type: 'text', text: 'done' }] } });
function fails(status: number, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, headers).end('a page');
}
/** Sends this part of an answer, and drops the connection. */
function begins(part: string): Answer {
  return ({ socket }) => void socket?.write(part, () => socket.destroy());
}

const ONE_CHARGE = { decided: 1, chargedMicros: PRICE_MICROS };
const NO_ANSWER = {
  result: { isError: true, _meta: { 'mandate/refusal': { code: 'SERVER_GAVE_NO_ANSWER' } } },
};

test.each<[string, string, Answer]>([
  ['a call of a tool that only reads', 'read', DROPS],
  ['a call of a tool that may be repeated', 'put', DROPS],
  ['a call that a gateway answered with status 502', 'read', fails(502)],
  ['a call that a gateway answered with status 503', 'read', fails(503)],
  ['a call that a gateway answered with status 504', 'read', fails(504)],
])('sends %s once more, as one action with one charge', async (_, tool, first) => {
  const { call, calls, record, server, warnings } = await proxyBefore([first, DONE]);
  expect(await (await call(tool)).json()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  expect(calls()).toBe(2);
  const [one, other] = server.requests;
  expect(other?.body).toEqual(one?.body);
  expect(await record()).toEqual(ONE_CHARGE);
  expect(warnings).toEqual([expect.stringContaining('once more')]);
});

test.each<[string, string, Answer, object]>([
  ['of a destructive tool', 'wipe', DROPS, {}],
  ['of a tool that is read-only and destructive', 'contradicts', DROPS, {}],
  ['of a tool that the server says nothing about', 'plain', DROPS, {}],
  ['if the hints are left out', 'read', DROPS, { usesHints: false }],
  ['if the operator turned it off', 'read', DROPS, { repeats: false }],
  ['after a part of the headers came', 'read', begins('HTTP/1.1 200 OK\r\nx: '), {}],
  [
    'after a part of the stream came',
    'read',
    begins(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\n:\n\n\r\n',
    ),
    {},
  ],
])('does not send a call again %s', async (_, tool, first, options) => {
  const { call, calls, record } = await proxyBefore([first, DONE], options);
  expect(await (await call(tool)).text()).toContain('SERVER_GAVE_NO_ANSWER');
  expect(calls()).toBe(1);
  expect(await record()).toEqual(ONE_CHARGE);
});

test.each<[string, string, boolean, number]>([
  ['does not send a call again that the server allows and a policy does not', 'read', false, 1],
  ['sends a call again that a policy allows and the server does not', 'wipe', true, 2],
])('%s', async (_, tool, idempotent, times) => {
  const toolPolicies = { [tool]: { cost: 1, requiresConfirmation: false, idempotent } };
  const { call, calls, record } = await proxyBefore([DROPS, DONE], { mandate: { toolPolicies } });
  await (await call(tool)).text();
  expect(calls()).toBe(times);
  expect(await record()).toEqual(ONE_CHARGE);
});

test.each<[string, number, Answer]>([
  ['with another error', 500, fails(500)],
  ['that names the time of the next call', 503, fails(503, { 'retry-after': '30' })],
])('passes an answer %s on', async (_, status, first) => {
  const { call, calls } = await proxyBefore([first, DONE]);
  expect((await call('read')).status).toBe(status);
  expect(calls()).toBe(1);
});

test('does not send a call again that begins a task', async () => {
  const { call, calls } = await proxyBefore([DROPS, DONE]);
  expect(await (await call('read', { task: { ttl: 60_000 } })).json()).toMatchObject(NO_ANSWER);
  expect(calls()).toBe(1);
});

test('gives the error of a server that fails twice, and keeps the charge', async () => {
  const { call, calls, record } = await proxyBefore([DROPS, DROPS, DONE]);
  expect(await (await call('read')).json()).toMatchObject(NO_ANSWER);
  expect(calls()).toBe(2);
  expect(await record()).toEqual(ONE_CHARGE);
});

test('keeps the charge if only the second request was refused', async () => {
  const { call, record } = await proxyBefore([DROPS, fails(404), fails(404)]);
  expect((await call('put')).status).toBe(404);
  expect((await call('wipe')).status).toBe(404);
  // The second call gets its charge back, and the first one does not.
  await expect.poll(record).toEqual({ decided: 2, chargedMicros: PRICE_MICROS });
});

test.each<[string, (proxy: Proxy, client: AbortController) => Promise<unknown>, string | null]>([
  ['its agent was killed', ({ sdk }) => sdk.kill('coder', 'enough'), 'AGENT_KILLED'],
  [
    'the client cancelled it',
    ({ post }) => post({ method: 'notifications/cancelled', params: { requestId: 1 } }),
    'SERVER_GAVE_NO_ANSWER',
  ],
  ['the client went away', async (_, client) => client.abort(), null],
])('does not send a call again after %s', async (_, end, code) => {
  const client = new AbortController();
  const timesSent = (id: number) => proxy.server.requests.filter(({ frame }) => frame.id === id).length;
  const answer: Answer = (response, request) => {
    const id = Number(request.frame.id);
    if (timesSent(id) > 1) return DONE(response, request);
    if (id === 2) return DROPS(response, request);
    // The proxy closes the connection when it has read the status. After that it waits before it sends the call again.
    response.once('close', () => void end(proxy, client));
    response.writeHead(503).write('a part of a page');
  };
  const proxy: Proxy = await proxyBefore([answer, answer, answer, answer]);
  const got = await proxy.call('read', {}, { signal: client.signal }).then(
    (response) => response.text(),
    () => null,
  );
  if (code === null) expect(got).toBe(null);
  else expect(got).toContain(code);
  await proxy.sdk.revive('coder');
  // This call is sent twice. Until its end, the first call would have been sent again.
  expect(await (await proxy.call('read', {}, { id: 2 })).text()).toContain('done');
  expect([timesSent(1), timesSent(2)]).toEqual([1, 2]);
});
