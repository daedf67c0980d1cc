/** How a client of Redis is to behave, whatever it connects to, and what is the matter where it does not connect. */
import type { Cluster, CommonRedisOptions, Redis } from 'ioredis';
import { ledgerFailure, unavailable } from './failure.ts';

/**
 * With the defaults of the client a lost answer makes it send the script again. These make it fail instead, soon, and
 * leave it to the caller to send again what can be told from the first.
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
 * Connects, and throws what is the matter: the client itself throws only that the connection is closed.
 *
 * @param onFailure told of that, and of whatever fails later
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

/** With TLS 1.3 a certificate is refused when all is said already, and the refusal is seldom heard. */
const CUT =
  'It is restarting; or its port asks for TLS (rediss://, MANDATE_REDIS_TLS), or for a certificate that it knows (MANDATE_REDIS_TLS_CERT_PATH).';
