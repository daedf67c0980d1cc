import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { silentLogger } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { createCluster } from './client.ts';

const require = createRequire(import.meta.url);
const QUIET = { namespace: () => QUIET, debug() {}, error() {}, warn() {} };

// Without the fix, the timer restarts itself every millisecond, and Node warns of the negative time.
test('starts no timer for throttled requests while no request waits', () => {
  createCluster({ brokers: ['127.0.0.1:1'], clientId: 'test' }, silentLogger());
  const RequestQueue = require('kafkajs/src/network/requestQueue');
  const queue = new RequestQueue({ requestTimeout: 1_000, enforceRequestTimeout: false, logger: QUIET });
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
});

test('shares one connection among simultaneous requests, and makes another connection for a later request', async () => {
  let connections = 0;
  const server = createServer(() => void connections++).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const Connection = require('kafkajs/src/network/connection');
  const connection = new Connection({
    host: '127.0.0.1',
    port,
    logger: QUIET,
    socketFactory: require('kafkajs/src/network/socketFactory')(),
    connectionTimeout: 10_000,
    requestTimeout: 10_000,
  });
  await Promise.all(Array.from({ length: 50 }, () => connection.connect()));
  await connection.disconnect();
  await connection.connect();
  await connection.disconnect();
  server.close();
  await once(server, 'close');
  expect(connections).toBe(2);
});

// kafkajs creates the socket some turns of the event loop after connect is called. Without the fix, this socket and
// the process would never end.
test.each([0, 1, 20])(
  'closes the connection if it is severed %d turns after connect began',
  async (turns) => {
    const server = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { cluster, sever } = createCluster(
      { brokers: [`127.0.0.1:${port}`], clientId: 'test' },
      silentLogger(),
    );
    const connecting = cluster.connect();
    connecting.catch(() => {});
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    sever();
    await expect(connecting).rejects.toThrow();
    server.close();
    // Waits until the last connection is closed.
    await once(server, 'close');
  },
);
