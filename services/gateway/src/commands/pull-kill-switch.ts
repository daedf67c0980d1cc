/**
 * Kills and revives. A kill sets the flag first, because the flag stops the agent, and then writes the event. A
 * revive writes the event first and then clears the flag, so that no agent runs again without a record on the log.
 */
import type { Command, KillReceipt } from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';
import { agentKey, type KillFact, type KillTarget, type OpenAction, wireTime } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { type Gateway, ledgerOf } from '../gateway.ts';
import type { CommandEvent } from '../journal/command-journal.ts';
import { carryOut } from './carry-out.ts';

/**
 * The maximum number of open actions that the event names, so that the event fits into a record of the log. The answer
 * to the operator names all open actions.
 */
const OPEN_IN_EVENT = 500;
const TENANTS_IN_EVENT = 5_000;

/** The parts of the gateway that the kill switch needs. */
type Switch = Pick<Gateway, 'ledger' | 'journal' | 'clock' | 'log' | 'controlRevision' | 'lastKills'> & {
  measures: Pick<Gateway['measures'], 'kills' | 'revives'>;
};

export type Killed = Omit<KillReceipt, 'open' | 'heldSince'> & {
  commandId: string;
  target: KillTarget;
  openCount: number;
  open: OpenAction[];
};

/**
 * Kills a target. Throws KILL_IN_FORCE_NOT_ON_LOG, with the whole result, if only the record on the log is missing.
 * Throws REVIVED_SINCE for a repeated kill after a revive, because an answer must not call a running agent killed.
 */
export async function kill(gateway: Switch, target: KillTarget, command: Command): Promise<Killed> {
  const controlRevision = gateway.controlRevision();
  const ledger = ledgerOf(gateway);
  const { receipt, logged } = await carryOut(
    ledger,
    () => ledger.kill(target, { ...command, controlRevision }),
    (receipt) => gateway.journal.record(killEvent(gateway, target, command, receipt, ledger.epoch)),
  );
  const { stands, revision, sequences, open } = receipt;
  if (!stands) throw revivedSince();
  gateway.lastKills.set(target, { command, revision });
  const killed: Killed = {
    commandId: command.id,
    target,
    revision,
    sequences,
    openCount: open.length,
    open: [...open],
  };
  gateway.measures.kills.inc({ scope: target.scope });
  gateway.log.warn({ target, command, openCount: killed.openCount, logged }, 'kill switch pulled');
  if (logged) return killed;
  throw new HttpProblem(
    503,
    'KILL_IN_FORCE_NOT_ON_LOG',
    'the kill switch is in force, but not yet on the log',
    {
      remedy:
        'The target is stopped. The event is retried until the log takes it. A ledger that is rebuilt before that does not know the kill, so check again when the log is back.',
      headers: { 'retry-after': '1' },
      extension: { kill: killed },
    },
  );
}

function killEvent(
  { clock }: Pick<Switch, 'clock'>,
  target: KillTarget,
  command: Command,
  { revision, heldSince, sequences, open }: KillReceipt,
  ledgerEpoch: string,
): CommandEvent {
  const named = Object.entries(sequences);
  const kill = {
    ...command,
    at: wireTime(clock()),
    target,
    revision,
    ...(target.scope === 'subtree' && { heldSince }),
    ledgerEpoch,
    ledgerSequences: Object.fromEntries(named.slice(0, TENANTS_IN_EVENT)),
    ...(named.length > TENANTS_IN_EVENT && { tenantCount: named.length }),
    openCount: open.length,
    open: open.slice(0, OPEN_IN_EVENT),
  };
  // After a rebuild, the ledger may carry out the same kill again, with another revision. The repeat may stop targets
  // that were revived before the rebuild, so it needs its own event.
  return { id: `${command.id}@${revision}`, key: keyOf(target), event: { event: 'agent.killed', kill } };
}

function revivedSince(): HttpProblem {
  return new HttpProblem(409, 'REVIVED_SINCE', 'this kill was carried out before, and was revived since', {
    remedy: 'It stops nothing now. To kill again, send another Idempotency-Key, or none.',
  });
}

export type Revived = {
  commandId: string;
  target: KillTarget;
  /** True if this call cleared the flag. False if the flag was already clear. */
  changed: boolean;
  revision: number;
};

/** Revives a target. Throws NEWER_KILL_STANDS if the target was killed again meanwhile. */
export async function revive(gateway: Switch, target: KillTarget, command: Command): Promise<Revived> {
  const ledger = ledgerOf(gateway);
  const { revision: current, killed: standing } = await ledger.flag(target);
  const unchanged = { commandId: command.id, target, changed: false, revision: current };
  // A repeated revive must not clear a later kill, even after a restart.
  if (!standing || (await ledger.revived(target, command.id))) return unchanged;

  const revision = current + 1;
  const event = {
    event: 'agent.revived' as const,
    revive: { ...command, at: wireTime(gateway.clock()), target, revision },
  };
  await gateway.journal.recordFirst({ key: keyOf(target), event }).catch(rethrowAsNotRevived);
  if (!(await ledger.revive(target, revision, command.id))) {
    throw new HttpProblem(409, 'NEWER_KILL_STANDS', 'the kill switch was pulled again meanwhile', {
      remedy: 'Find out why before you revive again.',
    });
  }
  gateway.measures.revives.inc({ scope: target.scope });
  gateway.log.warn({ target, command, revision }, 'revived');
  return { ...unchanged, changed: true, revision };
}

/**
 * Returns the partition key of the event. All events of an agent are in one partition. The name of a tenant has no
 * slash or star, so keys are unique.
 */
function keyOf(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  return target.scope === 'tenant' ? target.tenant : agentKey(target.tenant, target.agentId);
}

function rethrowAsNotRevived(cause: unknown): never {
  if (!isMandateError(cause)) throw cause;
  throw new HttpProblem(503, cause.code, `not revived: the log did not acknowledge (${cause.message})`, {
    remedy: 'The kill is still in force. Send the revive again when the log is back.',
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** Returns what stops the agent now, or null if nothing does. */
export async function killStatus(
  gateway: Gateway,
  tenant: string,
  agentId: string,
): Promise<KillFact | null> {
  return (await ledgerOf(gateway).killStatus(tenant, agentId, gateway.ancestryOf(tenant, agentId))).killed;
}
