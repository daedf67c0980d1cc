/**
 * Every tool, resource and prompt of the official servers gives the same result over HTTP through the proxy as without.
 * server-everything speaks HTTP itself. The others speak only stdio, so they are behind a bridge.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { startMandateMcp } from '../proxy/mandate-mcp.ts';
import { startStdioBridge } from '../wire/stdio-bridge.ts';
import { driveServer, type Transcript } from './drive-server.ts';
import { serveEverything } from './everything-over-http.ts';
import { connectV1, connectV2 } from './official-clients.ts';
import { type DrivenServer, OFFICIAL_SERVERS } from './official-servers.ts';

/** The servers call some of their tools destructive, and no person answers here. */
const UNASKED = { options: ['--no-hints'] };

type Served = AsyncDisposable & { url: string };

/** Starts a server without and a server with the proxy. Both may change files, so each has its own folder. */
async function serveBoth(first: DrivenServer, second: DrivenServer): Promise<[Served, Served]> {
  if (first.name !== 'server-everything') return Promise.all([bridged(first), bridged(second)]);
  // Its environment is a result, and it keeps a state for each session only.
  const one = await serveEverything();
  return [one, { url: one.url, async [Symbol.asyncDispose]() {} }];
}

function bridged({ command, env }: DrivenServer): Promise<Served> {
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return startStdioBridge(['env', ...variables, ...command]);
}

async function transcriptOf(
  url: string,
  server: DrivenServer,
  connect: typeof connectV1,
): Promise<Transcript> {
  const client = await connect({ url, root: server.root });
  try {
    return await driveServer(client, server);
  } finally {
    await client.close();
  }
}

test.each(Object.entries(OFFICIAL_SERVERS))(
  '%s has the same results over HTTP with and without the proxy, for both SDKs',
  async (_name, serverIn) => {
    const folders = [temporaryFolder(), temporaryFolder()] as const;
    const [first, second] = [serverIn(folders[0]), serverIn(folders[1])];
    await using running = new AsyncDisposableStack();
    const [bare, behind] = await serveBoth(first, second);
    for (const one of [bare, behind]) running.use(one);
    const proxy = running.use(await startMandateMcp(behind.url, UNASKED));
    for (const connect of [connectV1, connectV2]) {
      // The second client finds the files as the first one found them.
      for (const folder of folders) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
        serverIn(folder);
      }
      const [direct, through] = await Promise.all([
        transcriptOf(bare.url, first, connect),
        transcriptOf(proxy.url, second, connect),
      ]);
      expect(through).toEqual(direct);
      expect(Object.keys(direct).length).toBeGreaterThan(first.calls.length);
    }
  },
);
