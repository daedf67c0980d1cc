/** The proxy for a client over stdio and a server over HTTP: what goes over the wire, and what ends when. */
import type { ServerResponse } from 'node:http';
import { waitUntil } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { callOf, textOf } from '../lessons/open-through.ts';
import { type RawRequest, sendEvents, sendJson, serveRaw } from '../misbehaving/raw-http-server.ts';
import { type ProxyOptions, throughMandateTo } from '../proxy/mandate-mcp.ts';
import { initialize, MODERN_META } from '../wire/handshake.ts';
import { isAlive } from '../wire/is-alive.ts';
import { type StdioProcess, startStdio } from '../wire/stdio-process.ts';

const WITHIN_MS = 3_000;
const SESSION = { 'mcp-session-id': 's-1' };

type Answer = (request: RawRequest, response: ServerResponse) => void;

/** Opens a session of the older era, and leaves everything else to `answer`. */
function withSession(answer: Answer): Answer {
  return (request, response) => {
    const { method, frame } = request;
    if (frame.method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
      sendJson(response, { jsonrpc: '2.0', id: frame.id, result }, SESSION);
    } else if (method === 'GET') response.writeHead(405).end();
    else if (method === 'DELETE') response.writeHead(200).end();
    else if (frame.id === undefined) response.writeHead(202).end();
    else answer(request, response);
  };
}

const echoes = withSession(({ frame }, response) =>
  sendJson(response, { jsonrpc: '2.0', id: frame.id, result: { content: [] } }),
);

function through(
  url: string,
  options: ProxyOptions = {},
  env: NodeJS.ProcessEnv = process.env,
): StdioProcess {
  return startStdio(throughMandateTo(url, options), env);
}

/** Returns how long the process still ran after its input had ended. */
async function msUntilEnd(client: StdioProcess): Promise<number> {
  const beganAt = performance.now();
  client.child.stdin.end();
  await client.ended;
  return performance.now() - beganAt;
}

test('opens a session, names it in each request, and deletes it at the end', async () => {
  await using server = await serveRaw(echoes);
  await using client = through(server.url);
  await initialize(client);
  expect((await client.request(callOf(1, 'echo'))).result).toEqual({ content: [] });
  expect(await msUntilEnd(client)).toBeLessThan(WITHIN_MS);
  const [first, ...others] = server.requests;
  expect(first?.headers).not.toHaveProperty('mcp-session-id');
  expect(others.map(({ method, frame }) => [method, frame.method])).toEqual(
    expect.arrayContaining([
      ['POST', 'notifications/initialized'],
      ['GET', undefined],
      ['POST', 'tools/call'],
      ['DELETE', undefined],
    ]),
  );
  for (const { headers } of others)
    expect(headers).toMatchObject({ ...SESSION, 'mcp-protocol-version': '2025-11-25' });
});

test('sends no call that the policies do not allow', async () => {
  await using server = await serveRaw(echoes);
  await using client = through(server.url, { mandate: 'allowedTools: [echo]' });
  await initialize(client);
  const refused = await client.request(callOf(1, 'other'));
  expect(refused.result._meta['mandate/refusal'].code).toBe('TOOL_NOT_ALLOWED');
  await client.request(callOf(2, 'echo'));
  const calls = server.requests.filter(({ frame }) => frame.method === 'tools/call');
  expect(calls.map(({ frame }) => frame.params?.name)).toEqual(['echo']);
});

test('names method, tool and version in headers in the new era, and closes the connection of a cancelled call', async () => {
  let closed = false;
  await using server = await serveRaw((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    response.once('close', () => {
      closed = true;
    });
  });
  await using client = through(server.url, { options: ['--no-hints'] });
  client.send({ jsonrpc: '2.0', ...callOf(7, 'größe', {}, MODERN_META) });
  await waitUntil('the call', () => server.requests.find(({ frame }) => frame.method === 'tools/call'));
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await waitUntil('the end of the connection', () => closed || undefined);
  const [call] = server.requests.filter(({ frame }) => frame.method === 'tools/call');
  expect(call?.headers).toMatchObject({
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
    'mcp-protocol-version': '2026-07-28',
  });
  expect(server.requests.filter(({ frame }) => frame.method === 'notifications/cancelled')).toEqual([]);
});

test('adds the headers of the operator to each request, with values of the environment', async () => {
  await using server = await serveRaw(echoes);
  const options = ['--header', `Authorization: Bearer \${TOKEN}`, '--header-env', 'X-Key=KEY'];
  const env = { ...process.env, TOKEN: 'sk-of-token', KEY: 'sk-of-key' };
  await using client = through(server.url, { options }, env);
  await initialize(client);
  await client.request(callOf(1, 'echo'));
  expect(client.child.spawnargs.join(' ')).not.toContain('sk-of');
  await msUntilEnd(client);
  for (const { headers } of server.requests)
    expect(headers).toMatchObject({ authorization: 'Bearer sk-of-token', 'x-key': 'sk-of-key' });
});

test('does not start if a variable of a header is missing, and names the variable', async () => {
  await using client = through('http://127.0.0.1:1/mcp', {
    options: ['--header', `A: \${NO_SUCH_VARIABLE}`],
  });
  expect(await client.ended).toBe(2);
  expect(client.errors()).toContain('the environment variable NO_SUCH_VARIABLE is not set');
});

describe('a server that does not answer', () => {
  test('and is away gives each request its own error', async () => {
    await using client = through('http://127.0.0.1:1/mcp');
    const first = await client.request({ id: 1, method: 'initialize', params: {} });
    expect(first.error?.message).toContain('The server cannot be reached');
    const [second, third] = await Promise.all([
      client.request({ id: 2, method: 'tools/list' }),
      client.request(callOf(3, 'echo')),
    ]);
    expect([second.error?.code, third.error?.code]).toEqual([-32603, -32603]);
    expect(await msUntilEnd(client)).toBeLessThan(WITHIN_MS);
  });

  test('and breaks in the middle of a call says that the call may have had its effect', async () => {
    await using server = await serveRaw(withSession((_request, response) => void response.socket?.destroy()));
    await using client = through(server.url);
    await initialize(client);
    expect(textOf(await client.request(callOf(1, 'echo')))).toContain('SERVER_GAVE_NO_ANSWER');
    expect((await client.request({ id: 2, method: 'tools/list' })).error?.code).toBe(-32603);
  });

  test('and is killed in the middle of a call is found again after its restart', async () => {
    const first = await serveFixtureOverHttp();
    await using client = through(first.url, { options: ['--no-hints'] });
    await initialize(client);
    const port = new URL(first.url).port;
    const call = client.request(callOf(1, 'test_streaming_elicitation'));
    await client.receive('a question of the server', ({ method }) => method === 'elicitation/create');
    await first[Symbol.asyncDispose]();
    expect(await call).toBeDefined();
    await using second = await serveFixtureOverHttp(Number(port));
    const again = await client.request(callOf(2, 'test_simple_text'));
    expect(textOf(again)).toBe('This is a simple text response for testing.');
    expect(second.url).toBe(first.url);
  });
});

test.each([401, 403])('says what to do if the server asks for a login with status %i', async (status) => {
  await using server = await serveRaw(
    (_request, response) => void response.writeHead(status, { 'www-authenticate': 'Bearer' }).end(),
  );
  await using client = through(server.url);
  const { error } = await client.request({ id: 1, method: 'initialize', params: {} });
  expect(error?.message).toContain('Serve over HTTP with --listen, or send a token with --header');
});

test('does not pass on an answer that is too long', async () => {
  const long = 'x'.repeat(2 * 1024 * 1024);
  await using server = await serveRaw(
    withSession(({ frame }, response) => {
      if (frame.method === 'tools/call') sendEvents(response, `data: ${long}\n\n`);
      else sendJson(response, { jsonrpc: '2.0', id: frame.id, result: { long } });
    }),
  );
  await using client = through(server.url, { options: ['--max-message', '1'] });
  await initialize(client);
  expect((await client.request({ id: 1, method: 'x' })).error?.message).toContain(
    'longer than 1048576 bytes',
  );
  expect(textOf(await client.request(callOf(2, 'echo')))).toContain('SERVER_GAVE_NO_ANSWER');
});

test('writes an answer of several lines as one line', async () => {
  await using server = await serveRaw(
    withSession(({ frame }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result: { a: 'b' } }, null, 2));
    }),
  );
  await using client = through(server.url);
  await initialize(client);
  expect((await client.request({ id: 1, method: 'x' })).result).toEqual({ a: 'b' });
});

describe('nothing of the proxy is left', () => {
  const silent = withSession((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });

  test.each(['the end of the input', 'SIGTERM', 'SIGINT'] as const)('after %s', async (how) => {
    await using server = await serveRaw((request, response) => {
      // The server keeps every stream open, and does not even answer the DELETE.
      if (request.method === 'GET')
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else if (request.method !== 'DELETE') silent(request, response);
    });
    await using client = through(server.url);
    await initialize(client);
    client.send({ jsonrpc: '2.0', ...callOf(1, 'echo') });
    await waitUntil('the call', () => server.requests.find(({ frame }) => frame.method === 'tools/call'));
    const beganAt = performance.now();
    if (how === 'the end of the input') client.child.stdin.end();
    else client.child.kill(how);
    await client.ended;
    expect(performance.now() - beganAt).toBeLessThan(WITHIN_MS);
    expect(isAlive(client.child.pid ?? 0)).toBe(false);
    expect(server.requests.some(({ method }) => method === 'DELETE')).toBe(true);
  });
});
