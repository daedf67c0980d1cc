import { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Mandate } from '@mandate/sdk';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { SETTINGS } from '../govern/session.fixture.ts';
import { Session } from '../govern/session.ts';
import { callerOf } from '../govern/settings.ts';
import { runStdioProxy } from './run-stdio-proxy.ts';
import { ServerProcess } from './server-process.ts';

const MEBIBYTE = 1024 * 1024;

test('reads no more requests from a client that does not read its answers', async () => {
  await using sdk = new Mandate({ mandate: { allowedTools: ['*'] } });
  const stopping = new AbortController();
  // The answer to each line is fifty times as long.
  const input = Readable.from(
    (function* () {
      for (let chunks = 0; chunks < 500; chunks += 1) yield Buffer.from('x\n'.repeat(100));
    })(),
  );
  const output = new Writable({ write: () => {} });
  const ended = runStdioProxy({
    ...{ input, output, signal: stopping.signal, mostLineBytes: MEBIBYTE, warn: () => {} },
    server: new ServerProcess('cat', [], process.env),
    session: new Session(SETTINGS),
    caller: callerOf(sdk, { agentId: 'coder' }),
  });
  await waitUntil('unread answers', () => output.writableLength > MEBIBYTE);
  for (let turns = 0; turns < 200; turns += 1) await turn();
  expect(output.writableLength).toBeLessThan(2 * MEBIBYTE);
  // It must not prevent the proxy from ending.
  stopping.abort();
  await ended;
});
