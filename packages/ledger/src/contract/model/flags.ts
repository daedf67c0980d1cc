/** Kill flags, computed from all kills and revives in the history. */
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { Ancestry, KillInForce, KillStatus } from '../../port.ts';
import type { History } from './history.ts';

type FlagState = {
  killed: boolean;
  revision: number;
  reason: string;
  atMs: number;
  heldSince: number;
} & Pick<KillInForce, 'commandId' | 'by' | 'sequence'>;

const CLEAR: FlagState = {
  ...{ killed: false, revision: 0, reason: '', atMs: 0, heldSince: 0 },
  ...{ commandId: null, by: null, sequence: null },
};

export function flagOf(history: History, target: KillTarget): FlagState {
  let flag = CLEAR;
  for (const event of history.events) {
    if (event.type === 'kill' && isSame(event.target, target)) {
      const { revision, heldSince, sequences } = event.receipt;
      const { id: commandId, by, reason } = event.command;
      const sequence = target.scope === 'all' ? null : (sequences[target.tenant] ?? null);
      flag = { killed: true, revision, reason, atMs: event.atMs, heldSince, commandId, by, sequence };
    }
    if (event.type === 'revive' && isSame(event.target, target) && event.revision > flag.revision) {
      flag = { ...CLEAR, revision: event.revision, atMs: event.atMs };
    }
  }
  return flag;
}

/** Returns the kill flag with the widest scope that stops an agent. */
export function killOf(
  history: History,
  tenant: string,
  agentId: string,
  ancestry: Ancestry,
): KillFact | null {
  for (const { target, leftAt } of targetsOf(tenant, agentId, ancestry)) {
    const { killed, revision, reason, heldSince } = flagOf(history, target);
    if (killed && (leftAt === null || leftAt > heldSince))
      return { ...headOf(target), scope: target.scope, revision, reason };
  }
  return null;
}

export function killStatusOf(
  history: History,
  tenant: string,
  agentId: string,
  ancestry: Ancestry,
): KillStatus {
  const released = targetsOf(tenant, agentId, ancestry)
    .filter(({ leftAt }) => leftAt === null)
    .map(({ target }) => flagOf(history, target))
    .filter(({ killed, revision }) => !killed && revision > 0);
  const revivedAtMs = released.length === 0 ? null : Math.max(...released.map(({ atMs }) => atMs));
  return { killed: killOf(history, tenant, agentId, ancestry), revivedAtMs };
}

/** Returns the targets that include an agent. `leftAt`: the time when the agent left the subtree, or null. */
function targetsOf(
  tenant: string,
  agentId: string,
  { ancestors = [], formerAncestors = [] }: Ancestry,
): { target: KillTarget; leftAt: number | null }[] {
  const subtree = (id: string): KillTarget => ({ scope: 'subtree', tenant, agentId: id });
  const left = formerAncestors.map(({ id, leftAt }) => ({ target: subtree(id), leftAt }));
  const current = [agentId, ...ancestors].reverse().map((id) => ({ target: subtree(id), leftAt: null }));
  return [
    { target: { scope: 'all' }, leftAt: null },
    { target: { scope: 'tenant', tenant }, leftAt: null },
    ...left,
    ...current,
    { target: { scope: 'agent', tenant, agentId }, leftAt: null },
  ];
}

function headOf(target: KillTarget): { agentId?: string } {
  return target.scope === 'subtree' ? { agentId: target.agentId } : {};
}

/**
 * Returns the flags in force, the newest first. Flags of the same time have this order: scope all, the tenant, then
 * agents by name.
 */
export function flagsInForce(history: History, tenant: string): KillInForce[] {
  const targets = new Map<string, KillTarget>();
  for (const event of history.events) {
    if (event.type !== 'kill') continue;
    const { target } = event;
    if (target.scope === 'all') targets.set('0', target);
    else if (target.tenant !== tenant) continue;
    else
      targets.set(
        target.scope === 'tenant' ? '1' : `${target.scope === 'agent' ? 2 : 3}${target.agentId}`,
        target,
      );
  }
  return [...targets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, target]) => ({ target, flag: flagOf(history, target) }))
    .filter(({ flag }) => flag.killed)
    .sort((a, b) => b.flag.atMs - a.flag.atMs)
    .map(({ target, flag: { revision, reason, atMs, commandId, by, sequence } }) => ({
      ...headOf(target),
      ...{ scope: target.scope, revision, reason, target, atMs, commandId, by, sequence },
    }));
}

export function isSame(a: KillTarget, b: KillTarget): boolean {
  if (a.scope === 'all' || b.scope === 'all') return a.scope === b.scope;
  if (a.scope === 'tenant' || b.scope === 'tenant') return a.scope === b.scope && a.tenant === b.tenant;
  return a.scope === b.scope && a.tenant === b.tenant && a.agentId === b.agentId;
}
