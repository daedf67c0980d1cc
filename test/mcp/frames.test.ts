/** What a client gets through the proxy is what it gets without, byte for byte, if nothing is refused. */
import { expect, test } from 'vitest';
import { serveFixtureOverHttp } from './conformance-server/serve-http.ts';
import { misbehaving } from './misbehaving/misbehaving.ts';
import { ownServer } from './official/own-server.ts';
import { startMandateMcp, throughMandate } from './proxy/mandate-mcp.ts';
import type { Frame } from './wire/frame.ts';
import { initialize, MODERN_META } from './wire/handshake.ts';
import { recordHttp } from './wire/http-recorder.ts';
import { type Command, type StdioProcess, startStdio } from './wire/stdio-process.ts';

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
const CALLS: readonly [string, object][] = [
  ['test_simple_text', {}],
  ['test_image_content', {}],
  ['test_error_handling', {}],
  ['test_tool_with_progress', {}],
  ['test_trigger_tool_change', {}],
  ['test_trigger_tool_change', {}],
  ['no-such-tool', { text: 'Grüße 👋' }],
];

/** Requests that our own server answers alike in each run. */
function requests(meta: Readonly<Record<string, unknown>>): Frame[] {
  const frames: Omit<Frame, 'id'>[] = [
    ...LISTS.map((method) => ({ method, params: { _meta: meta } })),
    ...CALLS.map(([name, args]) => ({
      method: 'tools/call',
      params: { name, arguments: args, _meta: { ...meta, progressToken: 'token' } },
    })),
    { method: 'resources/read', params: { uri: 'test://static-text', _meta: meta } },
    { method: 'resources/read', params: { uri: 'test://missing', _meta: meta } },
    { method: 'prompts/get', params: { name: 'test_simple_prompt', _meta: meta } },
    { method: 'example.com/unknown', params: { any: [1, null], _meta: meta } },
  ];
  return frames.map((frame, at) => ({ ...frame, id: at % 2 === 0 ? at : `id ${at}` }));
}

async function playedOverStdio(
  command: Command,
  play: (server: StdioProcess) => Promise<void>,
): Promise<string> {
  await using server = startStdio(command);
  await play(server);
  return server.bytes().toString();
}

async function inOldEra(server: StdioProcess): Promise<void> {
  await initialize(server);
  for (const frame of requests({ 'example.com/kept': true })) await server.request(frame);
}

async function inNewEra(server: StdioProcess): Promise<void> {
  for (const frame of requests(MODERN_META)) await server.request(frame);
}

test.each<[string, Command, (server: StdioProcess) => Promise<void>]>([
  ['our own server in the older era', ownServer().command, inOldEra],
  ['our own server in the newer era', ownServer().command, inNewEra],
])('over stdio: %s', async (_, command, play) => {
  const direct = await playedOverStdio(command, play);
  expect(await playedOverStdio(throughMandate(command), play)).toBe(direct);
});

test('over stdio: a list is not overtaken by the message that it has changed', async () => {
  await using client = startStdio(throughMandate(misbehaving()));
  await initialize(client);
  client.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list', params: {} });
  await client.request({ id: 'rename', method: 'example.com/rename-tools', params: {} });
  await client.receive('the change', ({ method }) => method === 'notifications/tools/list_changed');
  const frames: Frame[] = client.lines().map((line) => JSON.parse(line));
  const at = (accepts: (frame: Frame) => boolean) => frames.findIndex(accepts);
  expect(at(({ id }) => id === 'list')).toBeGreaterThan(0);
  expect(at(({ id }) => id === 'list')).toBeLessThan(
    at(({ method }) => method === 'notifications/tools/list_changed'),
  );
});

const HEADERS_THAT_MATTER = [
  'content-type',
  'mcp-protocol-version',
  'cache-control',
  'www-authenticate',
  'allow',
];

test.each(['2025-11-25', '2026-07-28'])(
  'over HTTP in the era of %s: status, headers and body',
  async (version) => {
    // Each run has a server of its own, because some calls change the lists.
    await using fixture = await serveFixtureOverHttp();
    const direct = await playedOverHttp(fixture.url, version);
    await using behind = await serveFixtureOverHttp();
    await using proxy = await startMandateMcp(behind.url);
    const through = await playedOverHttp(proxy.url, version);
    expect(through).toEqual(direct);
    expect(direct.length).toBeGreaterThan(15);
  },
);

async function playedOverHttp(url: string, version: string): Promise<object[]> {
  const isModern = version === '2026-07-28';
  await using recorder = await recordHttp(url);
  let session: string | null = null;
  const post = async (frame: object, more: Record<string, string> = {}): Promise<void> => {
    const response = await fetch(recorder.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== null && { 'mcp-session-id': session }),
        'mcp-protocol-version': version,
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...frame }),
    });
    session ??= response.headers.get('mcp-session-id');
    await response.text();
  };
  if (!isModern) {
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: version, capabilities: {}, clientInfo };
    await post({ id: 'init', method: 'initialize', params });
    await post({ method: 'notifications/initialized' });
  }
  for (const frame of requests(isModern ? MODERN_META : {})) {
    const name = frame.params?.name ?? frame.params?.uri;
    await post(
      frame,
      isModern
        ? { 'mcp-method': String(frame.method), ...(name !== undefined && { 'mcp-name': String(name) }) }
        : {},
    );
  }
  const deleted = await fetch(recorder.url, {
    method: 'DELETE',
    headers: session === null ? {} : { 'mcp-session-id': session },
  });
  await deleted.text();
  return recorder.exchanges.map(({ method, answer }) => ({
    method,
    status: answer?.status,
    isComplete: answer?.isComplete,
    headers: HEADERS_THAT_MATTER.map((name) => answer?.headers[name]),
    // The server numbers events of all streams together, and sends some events when it has time.
    body: Buffer.concat(answer?.chunks ?? [])
      .toString()
      .replaceAll(/^id: \d+$/gm, 'id: NUMBER'),
  }));
}
