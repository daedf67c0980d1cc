/** A fresh ledger on a server that others use as well: it has a namespace of its own. */
import { randomUUID } from 'node:crypto';
import { manualClock } from '@mandate/runtime';
import type { MakeLedger } from '../contract.ts';
import { createRedisLedger, type RedisLedger, type RedisLedgerOptions } from './redis-ledger.ts';

export const START_MS = 1_000;

/** Rebuilt from an empty log: what is new is never taken for what was lost. */
export async function freshLedger(options: RedisLedgerOptions): Promise<RedisLedger> {
  const ledger = await createRedisLedger({ namespace: freshNamespace(), ...options });
  const rebuild = await ledger.beginRebuild({ epoch: 'epoch-1' });
  await rebuild.finish();
  return ledger;
}

export function freshNamespace(): string {
  return `test-${randomUUID().slice(0, 13)}`;
}

export function makeOn(options: () => RedisLedgerOptions): MakeLedger {
  return async ({ replayMemoryMs }) => {
    const clock = manualClock(START_MS);
    return { ledger: await freshLedger({ ...options(), replayMemoryMs, clock }), clock };
  };
}
