/** Ways to bring a call past the proxy, or to see a list that nobody filtered. */
import { expect, test } from 'vitest';
import { sendEvents, sendJson, serveRaw } from '../misbehaving/raw-http-server.ts';
import { startMandateMcp, throughMandate } from '../proxy/mandate-mcp.ts';
import { startStdio } from '../wire/stdio-process.ts';

const EVIL = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"evil"}}';
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const TOOLS = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'ok' }, { name: 'evil' }] } };
const MANDATE = { mandate: 'allowedTools: [ok]' };
/** Answers with what it has read, in lines that also end with CR, as the input of Python does. */
const READS_CR = `
  const lines = [];
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    lines.push(line);
    try { if (JSON.parse(line).method !== 'tell') return; } catch { return; }
    console.log(JSON.stringify({ jsonrpc: '2.0', id: 'tell', result: { lines } }));
  });`;

test('no part of a message becomes a separate call for a server that ends lines at CR', async () => {
  await using client = startStdio(throughMandate([process.execPath, '-e', READS_CR], MANDATE));
  client.send(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":\r${EVIL}\r}\n`));
  client.send(Buffer.from(`${EVIL.replace('"id":2,', '')}\n`));
  client.send(Buffer.from(`{"jsonrpc":"2.0","id":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`));
  const { result } = await client.request({ id: 'tell', method: 'tell' });
  expect(result.lines).toEqual([
    `{"jsonrpc":"2.0","id":1,"method":"ping","params": ${EVIL} }`,
    expect.stringContaining('"tell"'),
  ]);
});

test('the proxy ends although the server left a process that keeps its output open', async () => {
  const leaves = ['sh', '-c', 'sleep 60 & exit 0'] as const;
  await using client = startStdio(throughMandate(leaves, MANDATE));
  expect(await client.ended).toBe(0);
});

test('no other path, header or body reaches the server with a call', async () => {
  await using server = await serveRaw((_request, response) => sendJson(response, TOOLS));
  await using proxy = await startMandateMcp(`${server.url}?read_only=true`, MANDATE);
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const url = new URL(path, proxy.url);
    const type = { 'content-type': 'application/json', ...headers };
    return (await fetch(url, { method: 'POST', headers: type, body })).status;
  };
  const { pathname } = new URL(proxy.url);
  for (const path of ['/register', '/token', '/.well-known/mcp']) expect(await post(path, EVIL)).toBe(400);
  expect(await post(pathname, EVIL.replace('"id":2,', ''))).toBe(400);
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":"evil"}}';
  expect(await post(pathname, ping, { 'mcp-method': 'ping, tools/call' })).toBe(400);
  expect(await post(pathname, ping, { 'content-encoding': 'br' })).toBe(415);
  expect(server.requests).toEqual([]);
  expect(await post(`${pathname}?read_only=false`, ping)).toBe(200);
  expect(server.requests.map(({ path }) => path)).toEqual([`${new URL(server.url).pathname}?read_only=true`]);
});

test('a list is filtered or withheld, however the server writes it', async () => {
  const text = JSON.stringify(TOOLS);
  const answers: ((response: Parameters<typeof sendJson>[0]) => void)[] = [
    (response) => response.end(text),
    (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(Buffer.from(text.replace('"ok"', '"\xff"'), 'latin1')),
    (response) => sendEvents(response, `\ufeffdata: ${text}\n\n`),
    (response) => sendJson(response, { ...TOOLS, error: null }),
    (response) => sendJson(response, { ...TOOLS, error: { code: 1, message: 'both' } }),
    (response) => sendJson(response, { ...TOOLS, id: null }),
  ];
  let answer = 0;
  await using server = await serveRaw((_request, response) => answers[answer]?.(response));
  await using proxy = await startMandateMcp(server.url, MANDATE);
  for (answer = 0; answer < answers.length; answer += 1) {
    const got = await fetch(proxy.url, {
      ...{ method: 'POST', body: LIST },
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    expect(await got.text(), `answer ${answer}`).not.toContain('evil');
  }
});
