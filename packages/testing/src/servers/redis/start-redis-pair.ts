/** A Redis and a replica of it, each of which a test can break. */
import { Redis } from 'ioredis';
import { waitUntil } from '../../wait-until.ts';
import { type RedisOptions, type RedisServer, startRedis } from './start-redis.ts';

export type RedisPair = AsyncDisposable & {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  stop(): Promise<void>;
};

/** Resolves once the replica has the primary's data and follows it. @throws MissingServerError as startRedis does */
export async function startRedisPair(options: RedisOptions = {}): Promise<RedisPair> {
  await using started = new AsyncDisposableStack();
  // The first full copy is sent at once, and not when others might have asked for one too.
  const config = { 'repl-diskless-sync-delay': '0', ...options.config };
  const primary = started.use(await startRedis({ ...options, config }));
  const follows = { ...config, replicaof: `127.0.0.1 ${primary.port}` };
  const replica = started.use(await startRedis({ ...options, config: follows }));
  const client = new Redis(replica.url);
  try {
    await waitUntil('the replica to follow', async () =>
      (await client.info('replication')).includes('master_link_status:up'),
    );
  } finally {
    client.disconnect();
  }
  const life = started.move();
  const stop = () => life.disposeAsync();
  return { primary, replica, stop, [Symbol.asyncDispose]: stop };
}
