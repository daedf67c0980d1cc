/** Every tool, resource and prompt of the official servers gives the same result in two runs. */
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { driveServer, type Transcript } from './drive-server.ts';
import { connectModern, connectV1, connectV2 } from './official-clients.ts';
import { type DrivenServer, OFFICIAL_SERVERS } from './official-servers.ts';
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

async function transcriptOf(server: DrivenServer, connect: typeof connectV1): Promise<Transcript> {
  const client = await connect(server);
  try {
    return await driveServer(client, server);
  } finally {
    await client.close();
  }
}

test.each(PAIRS)(
  'two runs of %s with %s have the same results',
  async (_name, _client, serverIn, connect) => {
    const [first, second] = await Promise.all([
      transcriptOf(serverIn(temporaryFolder()), connect),
      transcriptOf(serverIn(temporaryFolder()), connect),
    ]);
    expect(second).toEqual(first);
  },
);
