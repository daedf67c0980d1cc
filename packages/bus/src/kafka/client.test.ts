import { createRequire } from 'node:module';
import { silentLogger } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { createCluster } from './client.ts';

// As it comes, it starts itself again every millisecond for ever, and Node warns of the negative time.
test('no timer looks for throttled requests where none waits', () => {
  createCluster({ brokers: ['127.0.0.1:1'], clientId: 'test' }, silentLogger());
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue');
  const queue = new RequestQueue({ requestTimeout: 1_000, enforceRequestTimeout: false, logger: {} });
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
});
