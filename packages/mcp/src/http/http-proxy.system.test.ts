/** The cost of a call over HTTP, and the result for its client, if the server fails at some point of the call. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Mandate } from '@mandate/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { SETTINGS } from '../govern/session.fixture.ts';
import type { ProxySettings } from '../govern/settings.ts';
import { Callers } from './callers.ts';
import { startHttpProxy } from './start-http-proxy.ts';

type Answer = (response: ServerResponse, frame: Frame) => void;
type Frame = { id: unknown; method: string; params: Record<string, unknown> };

/** The price of one call of `pay`, and the budget of the agent. */
const [PRICE_MICROS, BUDGET_MICROS] = [1_000_000, 2_000_000];

/** A proxy in front of a server with prepared answers, one for each call. */
async function proxyBefore(
  answers: readonly Answer[],
  { settings = {}, pay = {} }: { settings?: Partial<ProxySettings>; pay?: object } = {},
) {
  const left = [...answers];
  const calls: Frame[] = [];
  const server = createServer(async (request, response) => {
    const frame: Frame = JSON.parse(await text(request));
    calls.push(frame);
    left.shift()?.(response, frame);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const mandate = { allowedTools: ['*'], maxCostTotal: 2, toolPolicies: { pay: { cost: 1, ...pay } } };
  const sdk = new Mandate({ mandate });
  const proxy = await startHttpProxy({
    ...{ host: '127.0.0.1', port: 0, upstream: new URL(`http://127.0.0.1:${port}/mcp`), knownHosts: [] },
    callers: new Callers({ agentId: 'coder', principalId: undefined, runId: undefined }, sdk, null),
    settings: { ...SETTINGS, usesHints: false, ...settings },
    mostBytes: 1_000_000,
    repeats: true,
    warn() {},
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await proxy.stop();
  });
  return {
    sdk,
    /** The calls that reached the server. */
    calls,
    remaining: () => sdk.getRemainingBudget('coder'),
    /** Calls the tool, or another method, in the session s1. */
    call(id: number, params: object = {}, method = 'tools/call'): Promise<Response> {
      const accept = 'application/json, text/event-stream';
      return fetch(proxy.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'mcp-session-id': 's1' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id, method },
          params: { name: 'pay', arguments: {}, ...params },
        }),
      });
    },
  };
}

function fails(status: number): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<p>A page.</p>');
}

function gives(result: object): Answer {
  return (response, { id }) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const DONE = gives({ content: [{ type: 'text', text: 'paid' }] });
const ASKS = gives({ resultType: 'input_required', inputRequests: {}, requestState: 'of the server' });

/** Returns the messages of a stream of events. Throws if the stream contains anything else. */
function messagesIn(stream: string): { method?: string; result?: Record<string, unknown> }[] {
  return stream
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(/^event: message\ndata: (.*)$/.exec(event)?.[1] ?? `no message: ${event}`));
}

test.each(['tools/call', 'completion/complete'])(
  'the id of a %s may be used again after the server refused the request',
  async (method) => {
    const { call } = await proxyBefore([fails(404), DONE]);
    expect((await call(1, {}, method)).status).toBe(404);
    expect(await (await call(1, {}, method)).json()).toMatchObject({
      id: 1,
      result: { content: [{ text: 'paid' }] },
    });
  },
);

test('a call that the server refused before it ran costs nothing', async () => {
  const { call, remaining } = await proxyBefore([fails(401), DONE]);
  const refused = await call(1);
  expect([refused.status, await refused.text()]).toEqual([401, '<p>A page.</p>']);
  await expect.poll(remaining).toBe(BUDGET_MICROS);
  await (await call(2)).json();
  expect(await remaining()).toBe(BUDGET_MICROS - PRICE_MICROS);
});

test.each([500, 502, 503])('a call that ended with status %d keeps its charge', async (status) => {
  const { call, remaining } = await proxyBefore([fails(status), fails(404)]);
  expect((await call(1)).status).toBe(status);
  expect((await call(2)).status).toBe(404);
  // The second call gets its charge back, and the first one does not.
  await expect.poll(remaining).toBe(BUDGET_MICROS - PRICE_MICROS);
});

test('a call keeps its charge if only a later round of its input was refused', async () => {
  const { call, calls, remaining } = await proxyBefore([ASKS, fails(404), DONE]);
  const asked = (await (await call(1)).json()) as { result: { requestState: string } };
  const { requestState } = asked.result;
  expect((await call(2, { requestState, inputResponses: {} })).status).toBe(404);
  expect(calls[1]?.params.requestState).toBe('of the server');
  // Another call takes the rest of the budget, so the first call did not get its charge back.
  expect(await (await call(3)).json()).toMatchObject({ result: { content: [{ text: 'paid' }] } });
  expect(await remaining()).toBe(BUDGET_MICROS - 2 * PRICE_MICROS);
});

test('a stream that has begun ends with an MCP message if the server answers with a web page', async () => {
  const { call, sdk, remaining } = await proxyBefore([fails(502)], {
    settings: { defer: 'hold', holdMs: 60_000 },
    pay: { requiresConfirmation: true },
  });
  const answer = await call(1, { _meta: { progressToken: 'p' } });
  const decoded = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let stream = (await decoded?.read())?.value ?? '';
  await sdk.approve(/apv_[\w-]+/.exec(stream)?.[0] ?? '');
  for (let part = await decoded?.read(); part?.done === false; part = await decoded?.read())
    stream += part.value;
  expect(messagesIn(stream)).toMatchObject([
    { method: 'notifications/progress' },
    { id: 1, result: { isError: true, _meta: { 'mandate/refusal': { code: 'SERVER_GAVE_NO_ANSWER' } } } },
  ]);
  expect(stream).toContain('status 502');
  expect(await remaining()).toBe(BUDGET_MICROS - PRICE_MICROS);
});

test('a stream of the server that breaks within an event ends with a message', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p' } };
  const { call, remaining } = await proxyBefore([
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const whole = `event: message\ndata: ${JSON.stringify(progress)}\n\n`;
      response.write(`${whole}event: message\ndata: {"jsonrpc":"2.0","id":1,"res`, () => response.destroy());
    },
  ]);
  const stream = await (await call(1)).text();
  expect(messagesIn(stream)).toMatchObject([
    progress,
    { id: 1, result: { isError: true, _meta: { 'mandate/refusal': { code: 'SERVER_GAVE_NO_ANSWER' } } } },
  ]);
  expect(await remaining()).toBe(BUDGET_MICROS - PRICE_MICROS);
});
