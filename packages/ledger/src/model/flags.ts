/** Kill flags, read from every kill and revive that was. */
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { KillStatus } from '../port.ts';
import type { History } from './history.ts';

type FlagState = { killed: boolean; revision: number; reason: string; atMs: number };

export function flagOf(history: History, target: KillTarget): FlagState {
  let flag: FlagState = { killed: false, revision: 0, reason: '', atMs: 0 };
  for (const event of history.events) {
    if (event.type === 'kill' && isSame(event.target, target)) {
      const { revision } = event.receipt;
      flag = { killed: true, revision, reason: event.command.reason, atMs: event.atMs };
    }
    if (event.type === 'revive' && isSame(event.target, target) && event.revision > flag.revision) {
      flag = { killed: false, revision: event.revision, reason: '', atMs: event.atMs };
    }
  }
  return flag;
}

/** The widest flag that stops an agent. */
export function killOf(
  history: History,
  tenant: string,
  agentId: string,
  above: readonly string[],
): KillFact | null {
  for (const target of targetsOf(tenant, agentId, above)) {
    const { killed, revision, reason } = flagOf(history, target);
    if (killed) return { ...headOf(target), scope: target.scope, revision, reason };
  }
  return null;
}

export function killStatusOf(
  history: History,
  tenant: string,
  agentId: string,
  above: readonly string[],
): KillStatus {
  const released = targetsOf(tenant, agentId, above)
    .map((target) => flagOf(history, target))
    .filter(({ killed, revision }) => !killed && revision > 0);
  const revivedAtMs = released.length === 0 ? null : Math.max(...released.map(({ atMs }) => atMs));
  return { killed: killOf(history, tenant, agentId, above), revivedAtMs };
}

function targetsOf(tenant: string, agentId: string, above: readonly string[]): KillTarget[] {
  const families = [agentId, ...above].reverse();
  return [
    { scope: 'all' },
    { scope: 'tenant', tenant },
    ...families.map((head): KillTarget => ({ scope: 'family', tenant, agentId: head })),
    { scope: 'agent', tenant, agentId },
  ];
}

function headOf(target: KillTarget): { agentId?: string } {
  return target.scope === 'family' ? { agentId: target.agentId } : {};
}

/** Newest first; of the same time: everything, the tenant, then agents by name. */
export function flagsInForce(history: History, tenant: string): (KillFact & { target: KillTarget })[] {
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
    .map(({ target, flag: { revision, reason } }) => ({
      ...headOf(target),
      scope: target.scope,
      revision,
      reason,
      target,
    }));
}

export function isSame(a: KillTarget, b: KillTarget): boolean {
  if (a.scope === 'all' || b.scope === 'all') return a.scope === b.scope;
  if (a.scope === 'tenant' || b.scope === 'tenant') return a.scope === b.scope && a.tenant === b.tenant;
  return a.scope === b.scope && a.tenant === b.tenant && a.agentId === b.agentId;
}
