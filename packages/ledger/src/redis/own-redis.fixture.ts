/** A Redis that one test file has to itself, and a client that may do to it what it likes. */
import { type RedisServer, startRedis } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';

/** It is there from the first test to the last, on disk as a ledger needs it. */
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
