/**
 * Lets an operator decide how distributed mode continues after Redis has lost its data. Until then every call is
 * blocked, because the amounts that were spent are unknown.
 *
 * The declarations of this file belong to the public API, so no export names a type of a Redis client.
 */

import { LedgerNotReady, type RedisLedger } from '@mandate/ledger';
import { connectRedis } from '@mandate/ledger/connect-redis';
import { silentLogger } from '@mandate/runtime';
import { misused } from '../errors.ts';
import { markAccepted } from './accepted-ledgers.ts';
import { beginLedger, openLedger } from './begin-ledger.ts';
import { type RedisStateOptions, settingsOf } from './redis-options.ts';

export type RecoverOptions = Pick<RedisStateOptions, 'url' | 'prefix' | 'timeoutMs' | 'requireAppendOnly'> & {
  /**
   * How to continue. `what-redis-holds`: with the data in Redis. The newest calls may be missing there, and are then
   * not counted. `new-budgets`: every limit and every idempotency key begins again. Kills stay in force if Redis still
   * has them.
   */
  with: 'what-redis-holds' | 'new-budgets';
  /** The person who decided this, and the reason. Redis keeps both. */
  by: string;
  reason: string;
};

/**
 * Lets distributed mode continue after Redis has lost data, or may have lost some. If the ledger works, this only lets
 * processes that knew an earlier ledger continue with this ledger.
 *
 * @returns the epoch of the ledger that is in force now
 * @throws MandateError SDK_MISUSED, LEDGER_LOST, LEDGER_UNAVAILABLE
 */
export async function recoverRedis(options: RecoverOptions): Promise<{ epoch: string }> {
  const { with: way, by, reason } = options;
  if (way !== 'what-redis-holds' && way !== 'new-budgets')
    throw misused(`\`with\` is "${way}".`, 'Use "what-redis-holds" or "new-budgets".');
  if (!by || !reason) throw misused('`by` or `reason` is missing.', 'State both.');
  const settings = settingsOf(options);
  const ledger = await openLedger(settings);
  try {
    if (way === 'new-budgets') await beginUnlessReady(ledger);
    else await ledger.resume({ sequences: new Map(), acceptsLoss: true });
    await ledger.ping();
    const client = await connectRedis(settings, silentLogger());
    try {
      await markAccepted(client, settings.REDIS_NAMESPACE, { epoch: ledger.epoch, by, reason });
    } finally {
      client.disconnect();
    }
    return { epoch: ledger.epoch };
  } finally {
    await ledger.close();
  }
}

async function beginUnlessReady(ledger: RedisLedger): Promise<void> {
  try {
    await ledger.ping();
  } catch (error) {
    if (!(error instanceof LedgerNotReady)) throw error;
    await beginLedger(ledger);
  }
}
