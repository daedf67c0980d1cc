/** Every tool, resource and prompt of the official servers gives the same result through the proxy as without. */
import { IS_SHORT, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { throughMandate } from '../proxy/mandate-mcp.ts';
import { driveServer, type Transcript } from './drive-server.ts';
import { connectModern, connectV1, connectV2 } from './official-clients.ts';
import { type DrivenServer, everything, OFFICIAL_SERVERS } from './official-servers.ts';
import { ownServer } from './own-server.ts';

/** Each server with each client of its era. Our own server is the only one that speaks the newer era. */
const PAIRS = [
  ...Object.entries(OFFICIAL_SERVERS).flatMap(
    ([name, serverIn]) =>
      [
        [name, 'SDK 1', serverIn, connectV1],
        [name, 'SDK 2', serverIn, connectV2],
      ] as const,
  ),
  ['our own server', 'SDK 2 in the newer era', ownServer, connectModern],
] as const;

/** The servers call some of their tools destructive, and no person answers here. */
const UNASKED = { options: ['--no-hints'] };

async function transcriptOf(server: DrivenServer, connect: typeof connectV1): Promise<Transcript> {
  const client = await connect(server);
  try {
    return await driveServer(client, server);
  } finally {
    await client.close();
  }
}

/** In a short run, one client talks to each server. */
const SHORT_PAIRS = PAIRS.filter(([, client]) => client !== 'SDK 1');

test.each(IS_SHORT ? SHORT_PAIRS : PAIRS)(
  '%s with %s has the same results with and without the proxy',
  async (_name, _client, serverIn, connect) => {
    const proxied = serverIn(temporaryFolder());
    const [direct, through] = await Promise.all([
      transcriptOf(serverIn(temporaryFolder()), connect),
      transcriptOf({ ...proxied, command: throughMandate(proxied.command, UNASKED) }, connect),
    ]);
    expect(through).toEqual(direct);
    expect(Object.keys(direct).length).toBeGreaterThan(proxied.calls.length);
  },
);

test.each([
  ['SDK 1', connectV1],
  ['SDK 2', connectV2],
])(
  'with %s, a tool that is not allowed is blocked, and 100 calls at once each get their own answer',
  async (_, connect) => {
    const server = everything();
    const command = throughMandate(server.command, { mandate: 'allowedTools: [echo]' });
    const client = await connect({ ...server, command });
    try {
      const { tools } = await client.call('listTools', {});
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(['echo']);
      expect(await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })).toMatchObject({
        result: { isError: true, _meta: { 'mandate/refusal': { code: 'TOOL_NOT_ALLOWED' } } },
      });
      await expect(client.call('getPrompt', { name: 'simple-prompt' })).rejects.toMatchObject({
        code: -31403,
      });
      const messages = Array.from({ length: 100 }, (_one, at) => `call ${at}`);
      const answers = await Promise.all(
        messages.map((message) => client.callTool({ name: 'echo', arguments: { message } })),
      );
      expect(answers.map(({ result }) => result)).toMatchObject(
        messages.map((message) => ({ content: [{ text: `Echo: ${message}` }] })),
      );
    } finally {
      await client.close();
    }
  },
);
