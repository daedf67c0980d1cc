import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import { listen } from './serve-http.ts';

const CROWD = 1_500;
/**
 * All connections must be made within this number of event loop turns. If a connection is dropped, the system retries
 * it only after a second, which is many more turns.
 */
const TURNS = 20;

/** Returns the longest queue of new connections that the system allows. 0 if the system does not show it. */
function longestQueue(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}

const aServer = () => testServer(async () => {}, { keys: null });

test('refuses a port of another listening server, although the sockets of one server share a port', async () => {
  const server = await aServer();
  const second = await aServer();
  const { port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }));
  const at = { host: '127.0.0.1', port: Number(port) };
  await expect(listen(second, at)).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  await server.close();
  await listen(second, at);
  await second.close();
});

test.skipIf(longestQueue() < CROWD)(
  'drops no connection if many arrive in one turn of the event loop',
  async () => {
    const server = await aServer();
    const { hostname, port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }));
    let connected = 0;
    const sockets = Array.from({ length: CROWD }, () =>
      connect(Number(port), hostname).on('connect', () => {
        connected += 1;
      }),
    );
    for (let turn = 0; turn < TURNS && connected < CROWD; turn += 1) await nextTurn();
    for (const socket of sockets) socket.destroy();
    await server.close();
    expect(connected).toBe(CROWD);
  },
);
