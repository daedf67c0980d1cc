/** The safe options of a Redis client, and the reasons for a failed connection. */
import type { Cluster, CommonRedisOptions, Redis } from 'ioredis';
import { ledgerFailure, unavailable } from './failure.ts';

/**
 * By default the client sends a script again after a lost response. With these options the call fails soon. Then the
 * caller may send the operations again, because the script recognizes repeats.
 */
export const SAFE = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
} as const satisfies CommonRedisOptions;

const LONGEST_RECONNECT_MS = 2_000;

export function reconnectAfterMs(times: number, longestMs = LONGEST_RECONNECT_MS): number {
  return Math.min(25 * 2 ** times, longestMs);
}

/**
 * Connects. If that fails, throws the reason, because the client itself only says that the connection is closed.
 *
 * @param onFailure called with this reason, and with later failures
 */
export async function connected(client: Redis | Cluster, onFailure: (failure: Error) => void): Promise<void> {
  let last: Error | undefined;
  client.on('error', (error: unknown) => {
    last = isCut(error) ? unavailable('Redis cut the connection.', error, CUT) : ledgerFailure(error);
    onFailure(last);
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw last ?? ledgerFailure(error);
  }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/**
 * With TLS 1.3 the server refuses a certificate after the handshake. Then the client often does not get the reason,
 * so this text adds it.
 */
const CUT =
  'Redis is restarting, or its port needs TLS (rediss://, MANDATE_REDIS_TLS) or a client certificate (MANDATE_REDIS_TLS_CERT_PATH).';
