import { readTlsFiles } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import type { RedisAddress } from './connection.ts';

/** Returns the address of the Redis that the settings name. */
export function addressOf(settings: RedisSettings): RedisAddress {
  const { REDIS_URL: url, REDIS_CLUSTER_NODES: nodes } = settings;
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password } = settings;
  const { REDIS_SENTINEL_USERNAME: askingAs, REDIS_SENTINEL_PASSWORD: askingWith } = settings;
  const tls = readTlsFiles('REDIS', settings);
  return {
    ...(url !== undefined && { url }),
    ...(nodes !== undefined && { clusterNodes: nodes.map(nodeAt) }),
    sentinel: {
      ...(askingAs !== undefined && { username: askingAs }),
      ...(askingWith !== undefined && { password: askingWith }),
    },
    client: {
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...((settings.REDIS_TLS || Object.keys(tls).length > 0) && { tls }),
    },
  };
}

/** @param address host:port, with brackets around an IPv6 host */
function nodeAt(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(address.slice(colon + 1)) };
}
