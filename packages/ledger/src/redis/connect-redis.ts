import type { Logger } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import type { Cluster, Redis } from 'ioredis';
import { addressOf } from './address-of.ts';

/** Connects to the Redis of the settings, for data beside the ledger. The client is loaded by the first call. */
export async function connectRedis(settings: RedisSettings, log: Logger): Promise<Redis | Cluster> {
  const { createClient, reach } = await import('./connection.ts');
  const address = { ...addressOf(settings), commandTimeoutMs: settings.REDIS_COMMAND_TIMEOUT_MS };
  const client = createClient(address, 0, log);
  await reach(client, address, (err) => log.warn({ err }, 'the connection to Redis failed'));
  return client;
}
