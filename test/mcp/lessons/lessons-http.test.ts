/** What other proxies got wrong over streamable HTTP. */
import { randomUUID } from 'node:crypto';
import { request as send } from 'node:http';
import { expect, test } from 'vitest';
import { type RawRequest, sendEvents, sendJson, serveRaw } from '../misbehaving/raw-http-server.ts';
import { startMandateMcp } from '../proxy/mandate-mcp.ts';
import { MODERN_META } from '../wire/handshake.ts';
import { callOf } from './open-through.ts';

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(url: string, frame: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...ACCEPT, ...headers }, body: JSON.stringify(frame) });
}

function request(frame: object): object {
  return { jsonrpc: '2.0', ...frame };
}

function result(id: unknown, value: object): object {
  return { jsonrpc: '2.0', id, result: value };
}

function event(frame: object): string {
  return `event: message\nid: ${randomUUID()}\ndata: ${JSON.stringify(frame)}\n\n`;
}

test('lesson 1 (toolhive#5744): messages of the server on the GET stream reach the client byte for byte', async () => {
  const events = [
    event({
      jsonrpc: '2.0',
      id: 0,
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    }),
    event({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:b' } }),
  ].join('');
  await using server = await serveRaw(({ method, frame }, response) => {
    if (method === 'GET') sendEvents(response, events);
    else if (frame.method === 'initialize')
      sendJson(response, result(frame.id, {}), { 'mcp-session-id': 's1' });
    else response.writeHead(202).end();
  });
  await using proxy = await startMandateMcp(server.url);
  const first = await post(proxy.url, request({ id: 1, method: 'initialize', params: {} }));
  expect(first.headers.get('mcp-session-id')).toBe('s1');
  const headers = { accept: 'text/event-stream', 'mcp-session-id': 's1', 'last-event-id': 'e7' };
  const stream = await fetch(proxy.url, { headers });
  expect(await stream.text()).toBe(events);
  const got = server.requests.find(({ method }) => method === 'GET');
  expect(got?.headers).toMatchObject({ 'mcp-session-id': 's1', 'last-event-id': 'e7' });
  const answer = await post(proxy.url, result(0, { role: 'assistant' }), { 'mcp-session-id': 's1' });
  expect(answer.status).toBe(202);
  expect(server.requests.at(-1)?.body.toString()).toBe(JSON.stringify(result(0, { role: 'assistant' })));
});

test('lesson 4 (toolhive#5655): names, ids, waits and comments of events stay', async () => {
  const progress = {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 1, progress: 1 },
  };
  const stream = [
    'id: e1\nretry: 500\ndata:\n\n',
    ': a comment\n\n',
    `event: message\r\nid: e2\r\ndata: ${JSON.stringify(progress)}\r\n\r\n`,
    `retry: 10\nevent: custom-name\nid: e3\ndata: ${JSON.stringify(result(1, { content: [] }))}\n\n`,
  ].join('');
  await using server = await serveRaw((_request, response) => sendEvents(response, stream));
  await using proxy = await startMandateMcp(server.url);
  const answer = await post(proxy.url, request(callOf(1, 'echo')));
  expect(await answer.text()).toBe(stream);
});

test('lesson 5 (toolhive#5796, #4514): a server without sessions and without GET is usable', async () => {
  await using server = await serveRaw(({ method, frame }, response) => {
    if (method !== 'POST') response.writeHead(405, { allow: 'POST' }).end();
    else if (frame.id === undefined) response.writeHead(202).end();
    else sendJson(response, result(frame.id, { content: [{ type: 'text', text: String(frame.method) }] }));
  });
  await using proxy = await startMandateMcp(server.url);
  const first = await post(proxy.url, request({ id: 1, method: 'initialize', params: {} }));
  expect(first.headers.has('mcp-session-id')).toBe(false);
  expect((await post(proxy.url, request({ method: 'notifications/initialized' }))).status).toBe(202);
  expect(await (await post(proxy.url, request(callOf(2, 'echo')))).json()).toMatchObject({
    result: { content: [{ text: 'tools/call' }] },
  });
  const stream = await fetch(proxy.url, { headers: { accept: 'text/event-stream' } });
  expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);
});

test('lesson 6 (toolhive#5830): clients that use the same id get their own answers', async () => {
  const waiting: (() => void)[] = [];
  await using server = await serveRaw(({ frame }, response) => {
    const text = String((frame.params?.arguments as { message?: string } | undefined)?.message);
    waiting.push(() => sendJson(response, result(frame.id, { content: [{ type: 'text', text }] })));
    // The answers go out in the opposite order, when all calls are there.
    if (waiting.length === 20) for (const answer of waiting.reverse()) answer();
  });
  await using proxy = await startMandateMcp(server.url);
  const names = Array.from({ length: 20 }, (_, at) => `client ${at}`);
  const answers = await Promise.all(
    names.map(async (message) => (await post(proxy.url, request(callOf(1, 'echo', { message })))).json()),
  );
  expect(answers).toEqual(names.map((text) => result(1, { content: [{ type: 'text', text }] })));
});

test('lesson 6: a denied call does not reach the server, whatever its headers name', async () => {
  const allHeaders: Record<string, string>[] = [
    {},
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' },
    { 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
    { 'mcp-method': 'tools/list' },
  ];
  await using server = await serveRaw(({ frame }, response) => sendJson(response, result(frame.id, {})));
  await using proxy = await startMandateMcp(server.url, { mandate: 'allowedTools: [echo]' });
  const calls = [
    request(callOf(1, 'secret')),
    request(callOf(1, 'secret', {}, MODERN_META)),
    [request({ id: 1, method: 'ping' }), request(callOf(2, 'secret'))],
  ];
  for (const headers of allHeaders)
    for (const call of calls) await (await post(proxy.url, call, headers)).text();
  expect(server.requests.filter(({ body }) => body.toString().includes('secret'))).toEqual([]);
});

test('lesson 8 (context-forge#4302): progress and questions come on the stream of the call, before its answer', async () => {
  const answered = Promise.withResolvers<RawRequest>();
  await using server = await serveRaw(async (received, response) => {
    const { frame } = received;
    if (frame.method === undefined) {
      response.writeHead(202).end();
      answered.resolve(received);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
    );
    response.write(
      event({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { message: 'Who?' } }),
    );
    const { frame: answer } = await answered.promise;
    response.end(event(result(1, { content: [{ type: 'text', text: JSON.stringify(answer.result) }] })));
  });
  await using proxy = await startMandateMcp(server.url);
  const session = { 'mcp-session-id': 's1' };
  const stream = await post(proxy.url, request(callOf(1, 'ask', {}, { progressToken: 1 })), session);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('elicitation/create')) text += (await reader?.read())?.value ?? '';
  expect(text).toContain('notifications/progress');
  expect((await post(proxy.url, result(1, { action: 'accept' }), session)).status).toBe(202);
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
  expect(text).toContain('{\\"action\\":\\"accept\\"}');
});

test('lesson 11 (agentgateway#3439): an odd server/discover reaches the server as it is, and so does its answer', async () => {
  const odd = { id: 'd', method: 'server/discover', params: { _meta: { 'vendor/odd': 1 }, extra: true } };
  await using server = await serveRaw(({ frame }, response) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: frame.id, error: { code: -32601, message: 'No.' } });
    response.writeHead(404, { 'content-type': 'application/json' }).end(body);
  });
  await using proxy = await startMandateMcp(server.url);
  for (const headers of [{}, { 'mcp-protocol-version': '2025-06-18' }, { 'mcp-method': 'something/else' }]) {
    const answer = await post(proxy.url, request(odd), headers);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: -32601 } });
    expect(server.requests.at(-1)?.body.toString()).toBe(JSON.stringify(request(odd)));
    expect(server.requests.at(-1)?.headers).toMatchObject(headers);
  }
});

test('lesson 18 (opencode#49439, claude-code#85236): tokens and their refusals pass, and the proxy keeps none', async () => {
  const challenge = 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"';
  await using server = await serveRaw(({ path, headers, frame }, response) => {
    if (path.startsWith('/.well-known/')) sendJson(response, { resource: path });
    else if (headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': challenge }).end('no token');
    else if (headers.authorization === 'Bearer narrow') response.writeHead(403).end('no scope');
    else sendJson(response, result(frame.id, { token: headers.authorization }));
  });
  await using proxy = await startMandateMcp(server.url);
  const ask = (token?: string) =>
    post(proxy.url, request(callOf(1, 'echo')), token === undefined ? {} : { authorization: token });
  const refused = await ask();
  expect([refused.status, refused.headers.get('www-authenticate'), await refused.text()]).toEqual([
    401,
    challenge,
    'no token',
  ]);
  const answers = await Promise.all(
    ['Bearer one', 'Bearer two'].map(async (token) => (await ask(token)).json()),
  );
  expect(answers).toMatchObject([{ result: { token: 'Bearer one' } }, { result: { token: 'Bearer two' } }]);
  expect((await ask('Bearer narrow')).status).toBe(403);
  expect((await ask()).status).toBe(401);
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', proxy.url));
  expect(await metadata.json()).toEqual({ resource: '/.well-known/oauth-protected-resource/mcp' });
});

test('a page of another host or origin cannot use the proxy', async () => {
  await using server = await serveRaw((_request, response) => void response.end());
  await using proxy = await startMandateMcp(server.url);
  for (const header of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
    const status = await new Promise((resolve, reject) => {
      const sent = send(proxy.url, { method: 'POST', headers: { ...ACCEPT, ...header } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(request({ id: 1, method: 'ping' })));
    });
    expect([header, status]).toEqual([header, 403]);
  }
  expect(server.requests).toEqual([]);
});
