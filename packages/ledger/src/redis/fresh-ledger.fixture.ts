/** Creates new ledgers on a server that other tests also use. Each ledger has its own namespace. */
import { randomUUID } from 'node:crypto';
import { manualClock } from '@mandate/runtime';
import { DEFAULTS } from '@mandate/schemas';
import type { MakeLedger } from '../contract.ts';
import { createState, type LedgerState } from '../memory/state.ts';
import { createRedisLedger, type RedisLedger, type RedisLedgerOptions } from './redis-ledger.ts';

export const START_MS = 1_000;

/** Returns a ledger rebuilt from an empty log. So a new tenant does not look like a lost tenant. */
export async function freshLedger({
  replayMemoryMs = DEFAULTS.replayMemoryMs,
  ...options
}: RedisLedgerOptions & { replayMemoryMs?: number }): Promise<RedisLedger> {
  const ledger = await createRedisLedger({ namespace: freshNamespace(), ...options });
  await rebuildFrom(ledger, createState(replayMemoryMs), 'epoch-1');
  return ledger;
}

export async function rebuildFrom(ledger: RedisLedger, state: LedgerState, epoch: string): Promise<void> {
  const rebuild = await ledger.beginRebuild({ epoch });
  await rebuild.load(state);
  await rebuild.finish();
}

export function freshNamespace(): string {
  return `test-${randomUUID().slice(0, 13)}`;
}

export function makeOn(options: () => RedisLedgerOptions): MakeLedger {
  return async ({ replayMemoryMs, keptUnremembered }) => {
    const clock = manualClock(START_MS);
    const kept = keptUnremembered === undefined ? {} : { keptUnremembered };
    return { ledger: await freshLedger({ ...options(), replayMemoryMs, ...kept, clock }), clock };
  };
}
