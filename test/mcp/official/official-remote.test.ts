/**
 * A client over stdio gets the same results from a server over HTTP through the proxy as a client over HTTP without it,
 * in both eras, and the proxy decides each call.
 */
import { expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { throughMandateTo } from '../proxy/mandate-mcp.ts';
import { driveServer, type Transcript } from './drive-server.ts';
import { serveEverything } from './everything-over-http.ts';
import { connectModern, connectV1, connectV2 } from './official-clients.ts';
import { everything } from './official-servers.ts';
import { ownServer } from './own-server.ts';

/** The servers call some of their tools destructive, and no person answers here. */
const UNASKED = { options: ['--no-hints'] };

const CLIENTS = [
  ['server-everything', 'SDK 1', everything, serveEverything, connectV1],
  ['server-everything', 'SDK 2', everything, serveEverything, connectV2],
  ['our own server', 'SDK 1', ownServer, serveFixtureOverHttp, connectV1],
  ['our own server', 'SDK 2 in the newer era', ownServer, serveFixtureOverHttp, connectModern],
] as const;

/** Each server listens on a socket in a folder of its own, and shows its environment. */
function withoutFolders(transcript: Transcript): Transcript {
  return JSON.parse(JSON.stringify(transcript).replaceAll(/mandate-test-\w+/g, 'FOLDER'));
}

type OfTarget =
  | { url: string }
  | { command: ReturnType<typeof throughMandateTo>; env: Record<string, string> };

test.each(CLIENTS)(
  '%s over HTTP gives %s, which speaks stdio to the proxy, the same results as without the proxy',
  async (_server, _client, serverIn, serve, connect) => {
    const server = serverIn();
    // A server keeps what its tools have changed, so each client has a server of its own.
    const transcriptOf = async (targetAt: (url: string) => OfTarget) => {
      await using running = await serve();
      const client = await connect({ ...targetAt(running.url), root: server.root });
      try {
        return withoutFolders(await driveServer(client, server));
      } finally {
        await client.close();
      }
    };
    const [direct, through] = await Promise.all([
      transcriptOf((url) => ({ url })),
      transcriptOf((url) => ({ command: throughMandateTo(url, UNASKED), env: {} })),
    ]);
    expect(through).toEqual(direct);
    expect(Object.keys(direct).length).toBeGreaterThan(server.calls.length);
  },
);

test.each([
  ['SDK 1', connectV1],
  ['SDK 2', connectV2],
])('with %s, a tool that is not allowed is blocked, and is not listed', async (_client, connect) => {
  await using running = await serveEverything();
  const command = throughMandateTo(running.url, { mandate: 'allowedTools: [echo]' });
  const client = await connect({ command, env: {}, root: '/work' });
  try {
    const { tools } = await client.call('listTools', {});
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['echo']);
    expect(await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })).toMatchObject({
      result: { isError: true, _meta: { 'mandate/refusal': { code: 'TOOL_NOT_ALLOWED' } } },
    });
    expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
      result: { content: [{ text: 'Echo: hello' }] },
    });
  } finally {
    await client.close();
  }
});
