import { readFileSync } from 'node:fs';
import type { Logger, RedisSettings } from '@mandate/runtime';
import type { RedisAddress } from './redis/connection.ts';
import type { RedisLedger } from './redis/redis-ledger.ts';

/** The ledger that processes share; null where the settings name none: then it is in the memory of the one who decides. */
export async function openSharedLedger(settings: RedisSettings, log: Logger): Promise<RedisLedger | null> {
  if (settings.REDIS_URL === undefined && settings.REDIS_CLUSTER_NODES === undefined) return null;
  // Its client is loaded only by who needs it.
  const { createRedisLedger } = await import('./redis/redis-ledger.ts');
  const count = settings.REDIS_WAIT_REPLICAS;
  return createRedisLedger({
    ...addressOf(settings),
    namespace: settings.REDIS_NAMESPACE,
    commandTimeoutMs: settings.REDIS_COMMAND_TIMEOUT_MS,
    requireAppendOnly: settings.REDIS_REQUIRE_APPEND_ONLY,
    ...(count > 0 && { waitReplicas: { count, timeoutMs: settings.REDIS_WAIT_TIMEOUT_MS } }),
    log,
  });
}

function addressOf(settings: RedisSettings): RedisAddress {
  const { REDIS_URL: url, REDIS_CLUSTER_NODES: nodes, REDIS_TLS_CA_PATH: caPath } = settings;
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password } = settings;
  const ca = caPath === undefined ? {} : { ca: readFileSync(caPath) };
  return {
    ...(url !== undefined && { url }),
    ...(nodes !== undefined && { clusterNodes: nodes.map(nodeAt) }),
    client: {
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...((settings.REDIS_TLS || caPath !== undefined) && { tls: ca }),
    },
  };
}

/** @param address host:port; the host may hold colons, in brackets */
function nodeAt(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(address.slice(colon + 1)) };
}
