/** What other proxies got wrong with lists of tools: https://github.com/stacklok/toolhive/issues and others. */
import { expect, test } from 'vitest';
import { serveRaw } from '../misbehaving/raw-http-server.ts';
import { startMandateMcp } from '../proxy/mandate-mcp.ts';
import { callOf, openThrough, textOf, toolNames } from './open-through.ts';

const NO_SECRETS = 'deniedTools: ["secret*"]';

test('lesson 2 (toolhive#5257): a list that cannot be read shows no tool unfiltered', async () => {
  const tools = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [{ name: 'echo' }, { name: 'secret' }] },
  });
  const broken = `data: {"tools":[{"name":"secret"}]\n\n`;
  const noUtf8 = Buffer.concat([Buffer.from('data: '), Buffer.of(0xff, 0xfe), Buffer.from(`${tools}\n\n`)]);
  const twoLines = `data: ${tools.slice(0, -2)}\ndata: ${tools.slice(-2)}\n\n`;
  const secrets =
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"secret","description":"DESCRIPTION"}]}}';
  const answers: [string, string, Buffer][] = [
    ['a stream with a byte order mark', 'text/event-stream', Buffer.from(`\uFEFFdata: ${secrets}\n\n`)],
    ['a stream with CR as line end', 'text/event-stream', Buffer.from(`data:${secrets}\r\r`)],
    ['a document with a byte order mark', 'application/json', Buffer.from(`\uFEFF${secrets}`)],
    [
      'a document with bytes that are no UTF-8',
      'application/json; charset=utf-8',
      Buffer.from(secrets.replace('DESCRIPTION', '\u00ff'), 'latin1'),
    ],
    ['a document with another name of its type', 'Application/JSON', Buffer.from(secrets)],
    [
      'a stream with events that cannot be read, and one that can',
      'text/event-stream',
      Buffer.concat([Buffer.from(broken), noUtf8, Buffer.from(`: comment\n\n${twoLines}`)]),
    ],
  ];
  let sent = 0;
  await using server = await serveRaw((_request, response) => {
    const [, type, bytes] = answers[sent] ?? [];
    sent += 1;
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
  await using proxy = await startMandateMcp(server.url, { mandate: NO_SECRETS });
  let text = '';
  for (const [name] of answers) {
    text = await post(proxy.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(text, name).not.toContain('secret');
  }
  expect(text).toContain('echo');
  expect(sent).toBe(answers.length);
});

test('lesson 3 (toolhive#5749): a tool that is renamed does not escape the filter', async () => {
  await using client = await openThrough({ mandate: NO_SECRETS });
  expect(await toolNames(client, 'before')).not.toContain('secret');
  await client.request(callOf(1, 'rename-tools'));
  await client.receive('the change', ({ method }) => method === 'notifications/tools/list_changed');
  expect(await toolNames(client, 'after')).not.toContain('secret-renamed');
  const refused = await client.request(callOf(2, 'secret-renamed'));
  expect(refused.result.isError).toBe(true);
  expect(textOf(refused)).toContain('TOOL_DENIED');
});

test('lesson 7 (toolhive#407): the list of tools is filtered and not refused', async () => {
  await using client = await openThrough({ mandate: 'allowedTools: [echo, mirror]' });
  expect(await toolNames(client, 'list')).toEqual(['echo', 'mirror']);
  const refused = await client.request(callOf(1, 'call-log'));
  expect(refused.result.isError).toBe(true);
  expect(textOf(refused)).toContain('TOOL_NOT_ALLOWED');
  expect(textOf(await client.request(callOf(2, 'echo', { message: 'yes' })))).toBe('yes');
});

test('a page of which nothing is left still names the next page', async () => {
  await using client = await openThrough({ mandate: NO_SECRETS });
  const { result } = await client.request({ id: 1, method: 'tools/list', params: { cursor: '1' } });
  expect(result).toEqual({ tools: [], nextCursor: '2' });
});

test('lesson 19 (desktop-linux#302): after a change the client gets the new list', async () => {
  await using client = await openThrough();
  expect(await toolNames(client, 'before')).toContain('secret');
  await client.request(callOf(1, 'rename-tools'));
  const after = await toolNames(client, 'after');
  expect(after).toContain('secret-renamed');
  expect(after).not.toContain('secret');
});

async function post(url: string, frame: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(frame) });
  return response.text();
}
