/** Starts a Redis for one test file only, with a client that has all rights. */
import { type RedisServer, startRedis } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';

/** Starts a Redis before the first test and stops it after the last test. It writes to disk, as a ledger needs. */
export function ownRedis(): { readonly server: RedisServer; readonly redis: Redis } {
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  return {
    get server() {
      return server;
    },
    get redis() {
      return redis;
    },
  };
}
