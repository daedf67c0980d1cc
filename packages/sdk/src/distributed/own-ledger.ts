/**
 * The ledger of distributed mode in Redis: how it begins, and in which ledger a process may go on.
 *
 * An operator who begins new budgets marks the epoch of the new ledger. Processes that knew the lost ledger go on only in
 * a marked one. So they do not go on because another process found an empty Redis, and took it for a new one.
 */
import { randomUUID } from 'node:crypto';
import { createFold, openSharedLedger, type RedisLedger } from '@mandate/ledger';
import { MandateError, silentLogger } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import { DEFAULTS } from '@mandate/schemas';
import type { RedisClient } from './tallies.ts';

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

function acceptedKey(namespace: string): string {
  return `${namespace}:{${DEFAULTS.tenant}}:accepted`;
}

export async function markAccepted(
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
