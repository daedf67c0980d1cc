/** A Redis for one test file alone, and a client that may do anything to it. */
import { type RedisServer, startRedis } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';

/** Starts a Redis before the first test, on disk as a ledger needs it, and stops it after the last one. */
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
