/**
 * What an operator does after Redis has lost data of distributed mode. Until then every call is blocked, because nobody
 * knows what was spent.
 *
 * An operator who begins new budgets marks the epoch of the new ledger. Processes that knew the lost ledger go on only in
 * a marked one. So they do not go on because another process found an empty Redis, and took it for a new one.
 */
import { randomUUID } from 'node:crypto';
import {
  connectRedis,
  createFold,
  LedgerNotReady,
  openSharedLedger,
  type RedisLedger,
} from '@mandate/ledger';
import { MandateError, silentLogger } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import { DEFAULTS } from '@mandate/schemas';
import { misused } from '../errors.ts';
import { type RedisStateOptions, settingsOf } from './redis-options.ts';
import type { RedisClient } from './tallies.ts';

export type RecoverOptions = Pick<RedisStateOptions, 'url' | 'prefix' | 'timeoutMs' | 'requireAppendOnly'> & {
  /**
   * How to go on. `what-redis-holds`: with the data in Redis, although the newest calls may be missing in it, which are
   * then not counted. `new-budgets`: every limit and every idempotency key begins again. Kills stay if Redis still has
   * them.
   */
  with: 'what-redis-holds' | 'new-budgets';
  /** Who decided this, and why. Redis keeps both. */
  by: string;
  reason: string;
};

/**
 * Lets distributed mode go on after Redis has lost data, or may have lost some. Changes nothing if the ledger works,
 * except that processes which knew an earlier ledger accept this one.
 *
 * @returns the epoch of the ledger that is in force now
 * @throws MandateError SDK_MISUSED, LEDGER_LOST, LEDGER_UNAVAILABLE
 */
export async function recoverRedis(options: RecoverOptions): Promise<{ epoch: string }> {
  const { with: way, by, reason } = options;
  if (way !== 'what-redis-holds' && way !== 'new-budgets')
    throw misused(`\`with\` is "${way}".`, 'Use "what-redis-holds" or "new-budgets".');
  if (!by || !reason) throw misused('Nobody is named, or no reason.', 'State `by` and `reason`.');
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

export async function openLedger(settings: RedisSettings): Promise<RedisLedger> {
  const ledger = await openSharedLedger(settings, silentLogger());
  if (ledger === null) throw new TypeError('the settings name no Redis');
  return ledger;
}

/** Begins an empty ledger. Returns its epoch. */
export async function beginLedger(ledger: RedisLedger): Promise<string> {
  const epoch = `ep_${randomUUID()}`;
  const rebuild = await ledger.beginRebuild({ epoch, lostEpoch: '', leaseMs: 5_000 });
  await rebuild.load(createFold({ replayMemoryMs: DEFAULTS.replayMemoryMs }).state);
  await rebuild.finish();
  return epoch;
}

async function beginUnlessReady(ledger: RedisLedger): Promise<void> {
  try {
    await ledger.ping();
  } catch (error) {
    if (!(error instanceof LedgerNotReady)) throw error;
    await beginLedger(ledger);
  }
}

function acceptedKey(namespace: string): string {
  return `${namespace}:{${DEFAULTS.tenant}}:accepted`;
}

async function markAccepted(
  client: RedisClient,
  namespace: string,
  { epoch, by, reason }: { epoch: string; by: string; reason: string },
): Promise<void> {
  await client.hset(
    acceptedKey(namespace),
    epoch,
    JSON.stringify({ by, reason, at: new Date().toISOString() }),
  );
}

/** True if an operator has said that processes may go on in the ledger of this epoch. */
export async function isAccepted(client: RedisClient, namespace: string, epoch: string): Promise<boolean> {
  return (await client.hexists(acceptedKey(namespace), epoch)) === 1;
}

/** The error while nobody may go on. */
export function ledgerLost(cause: MandateError): MandateError {
  return new MandateError(
    'LEDGER_LOST',
    `Redis has lost the ledger, or may have lost a part: ${cause.message}`,
    {
      remedy:
        'Every call is blocked, because nobody knows what was spent. An operator calls `recoverRedis` to go on: docs/agents.md.',
      cause,
    },
  );
}
