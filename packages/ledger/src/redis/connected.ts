/** How a client of Redis must behave, and why it cannot connect. */
import type { Cluster, CommonRedisOptions, Redis } from 'ioredis';
import { ledgerFailure, unavailable } from './failure.ts';

/**
 * With the default options of the client, a lost response makes it send the script again. With these options it fails
 * soon instead. The caller may then send again what the script recognizes as a repeat.
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
 * Connects, and throws the reason if that fails. The client itself would throw only that the connection is closed.
 *
 * @param onFailure called with that reason, and with later failures
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

/** With TLS 1.3 the server refuses a certificate after the handshake, and the client often misses the reason. */
const CUT =
  'It is restarting; or its port asks for TLS (rediss://, MANDATE_REDIS_TLS), or for a certificate that it knows (MANDATE_REDIS_TLS_CERT_PATH).';
