/** Computes the used share of the servers' memory. A full server accepts no writes, so nothing is decided. */
import type { Redis } from 'ioredis';
import { ledgerFailure } from './failure.ts';

/** Returns the used share of the fullest server. Null if no server has a `maxmemory`. Throws LEDGER_UNAVAILABLE. */
export async function usedShareOf(servers: readonly Redis[]): Promise<number | null> {
  const told = await Promise.all(servers.map((server) => server.info('memory'))).catch((error: unknown) => {
    throw ledgerFailure(error);
  });
  const shares = told.map(usedShareIn).filter((share) => share !== null);
  return shares.length === 0 ? null : Math.max(...shares);
}

/** @param told the section `memory` of a server's INFO command */
export function usedShareIn(told: string): number | null {
  const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(told)?.[1] ?? 0);
  const most = bytes('maxmemory');
  // Redis compares the same value with its limit. Buffers for replicas and for the append-only file do not count.
  return most === 0 ? null : (bytes('used_memory') - bytes('mem_not_counted_for_evict')) / most;
}
