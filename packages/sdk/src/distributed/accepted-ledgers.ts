/**
 * The ledgers that processes may use after Redis has lost data. If an operator calls `recoverRedis`, the epoch of the
 * ledger in force is marked.
 *
 * A process that knew another ledger uses only a marked ledger. If a new process begins a ledger in an empty Redis, the
 * older process stays blocked.
 */
import { MandateError } from '@mandate/runtime';
import { DEFAULTS } from '@mandate/schemas';
import type { RedisClient } from './tallies.ts';

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

/** True if an operator has marked the ledger of this epoch. */
export async function isAccepted(client: RedisClient, namespace: string, epoch: string): Promise<boolean> {
  return (await client.hexists(acceptedKey(namespace), epoch)) === 1;
}

/** Returns the error of calls that are blocked until an operator calls `recoverRedis`. */
export function ledgerLost(cause: MandateError): MandateError {
  return new MandateError(
    'LEDGER_LOST',
    `Redis has lost the ledger, or may have lost a part: ${cause.message}`,
    {
      remedy:
        'Every call is blocked, because the amounts that were spent are unknown. An operator calls `recoverRedis` to go on: docs/agents.md.',
      cause,
    },
  );
}
