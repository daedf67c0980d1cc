/** Opens the ledger of distributed mode in Redis, and begins it if Redis is empty. */
import { randomUUID } from 'node:crypto';
import { createFold, LedgerNotReady, openSharedLedger, type RedisLedger } from '@mandate/ledger';
import { isMandateError, silentLogger } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import { DEFAULTS } from '@mandate/schemas';
import { loadClient } from '../errors.ts';
import { ledgerLost } from './accepted-ledgers.ts';

const MOST_TRIES = 50;
const RETRY_MS = 20;

type Preparing = {
  /** Whether an empty Redis may count as a new Redis. */
  mayBegin: boolean;
  /** Puts the ledger in force again after a restart of Redis. */
  resume(): Promise<void>;
  /** Called if this process has begun the ledger. */
  onBegun(): void;
};

export async function openLedger(settings: RedisSettings): Promise<RedisLedger> {
  const ledger = await loadClient('ioredis', () => openSharedLedger(settings, silentLogger()));
  if (ledger === null) throw new TypeError('the settings name no Redis');
  return ledger;
}

/**
 * Resolves when the ledger can be used. A partly lost ledger is never begun again, because its limits would then count
 * from zero.
 *
 * @throws MandateError LEDGER_LOST, LEDGER_UNAVAILABLE
 */
export async function prepareLedger(
  ledger: RedisLedger,
  { mayBegin, resume, onBegun }: Preparing,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ledger.ping();
    } catch (error) {
      if (!(error instanceof LedgerNotReady) || tries >= MOST_TRIES) throw error;
      const { why } = error;
      const isLost = why === 'empty' ? !mayBegin : why !== 'run' && why !== 'rebuilding';
      if (isLost) throw ledgerLost(error);
      if (why === 'run') await resume();
      else if (mayBegin && (await begin(ledger))) onBegun();
      // Another process is beginning the ledger.
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Returns false if another process has begun the ledger, or is beginning it. */
async function begin(ledger: RedisLedger): Promise<boolean> {
  try {
    await beginLedger(ledger);
    return true;
  } catch (error) {
    if (!isMandateError(error)) throw error;
    return false;
  }
}

/** Begins an empty ledger. */
export async function beginLedger(ledger: RedisLedger): Promise<void> {
  const epoch = `ep_${randomUUID()}`;
  const rebuild = await ledger.beginRebuild({ epoch, lostEpoch: '', leaseMs: 5_000 });
  await rebuild.load(createFold({ replayMemoryMs: DEFAULTS.replayMemoryMs }).state);
  await rebuild.finish();
}
