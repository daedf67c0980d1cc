import { type Logger, sharedByRequests } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import { type KillBroadcast, localKillBroadcast } from './kill-broadcast.ts';
import { addressOf } from './redis/address-of.ts';
import type { RedisLedger } from './redis/redis-ledger.ts';

/**
 * Opens the channel for notices of kills and revives. Processes that share a ledger use Redis. Without a shared
 * ledger the channel works within this process.
 */
export async function openKillBroadcast(settings: RedisSettings, log: Logger): Promise<KillBroadcast> {
  if (!isLedgerShared(settings)) return sharedByRequests(localKillBroadcast());
  const { createRedisKillBroadcast } = await import('./redis/kill-broadcast.ts');
  const { REDIS_NAMESPACE: namespace, REDIS_COMMAND_TIMEOUT_MS: commandTimeoutMs } = settings;
  const address = addressOf(settings);
  return sharedByRequests(await createRedisKillBroadcast({ ...address, namespace, commandTimeoutMs, log }));
}

/** True if the settings name a shared ledger. */
export function isLedgerShared({ REDIS_URL: url, REDIS_CLUSTER_NODES: nodes }: RedisSettings): boolean {
  return url !== undefined || nodes !== undefined;
}

/**
 * Opens the shared ledger. Null if the settings name none. Then the ledger is in the memory of the deciding process.
 */
export async function openSharedLedger(settings: RedisSettings, log: Logger): Promise<RedisLedger | null> {
  if (!isLedgerShared(settings)) return null;
  // The import is here, so that only programs with a shared ledger load the client.
  const { createRedisLedger } = await import('./redis/redis-ledger.ts');
  const count = settings.REDIS_WAIT_REPLICAS;
  const ledger = await createRedisLedger({
    ...addressOf(settings),
    namespace: settings.REDIS_NAMESPACE,
    commandTimeoutMs: settings.REDIS_COMMAND_TIMEOUT_MS,
    requireAppendOnly: settings.REDIS_REQUIRE_APPEND_ONLY,
    ...(count > 0 && { waitReplicas: { count, timeoutMs: settings.REDIS_WAIT_TIMEOUT_MS } }),
    log,
  });
  return sharedByRequests(ledger);
}
