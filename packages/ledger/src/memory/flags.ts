/**
 * Kill flags: one each for an agent, an agent's family, a tenant, everything. They merge: of two states of a flag the higher revision
 * wins, and at a tie the kill, so that they come out the same in whatever order their events are read.
 */
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { KillStatus, Standing } from '../port.ts';

export type Flag = {
  readonly target: KillTarget;
  readonly killed: boolean;
  readonly revision: number;
  readonly reason: string;
  /** When it was last changed. */
  readonly atMs: number;
  /** Only for a family: agents that left it at a later revision of the control topic are still stopped. */
  readonly heldSince: number;
};

/** By key. */
export type Flags = Map<string, Flag>;

/** A tenant has neither slash nor colon in its name: no two targets share a key. */
export function flagKey(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  if (target.scope === 'tenant') return target.tenant;
  return `${target.tenant}${target.scope === 'agent' ? '/' : ':'}${target.agentId}`;
}

/** The other way round. */
export function targetOf(key: string): KillTarget {
  if (key === '*') return { scope: 'all' };
  const at = key.search(/[/:]/);
  if (at === -1) return { scope: 'tenant', tenant: key };
  const scope = key[at] === '/' ? 'agent' : 'family';
  return { scope, tenant: key.slice(0, at), agentId: key.slice(at + 1) };
}

/** All that may stop an agent, the widest first; families that it left before those that it is in. */
export function targetsAround(
  tenant: string,
  agentId: string,
  { above = [], formerAncestors = [] }: Standing,
): KillTarget[] {
  return [
    { scope: 'all' },
    { scope: 'tenant', tenant },
    ...formerAncestors.map(({ id }): KillTarget => ({ scope: 'family', tenant, agentId: id })),
    ...above.toReversed().map((id): KillTarget => ({ scope: 'family', tenant, agentId: id })),
    { scope: 'family', tenant, agentId },
    { scope: 'agent', tenant, agentId },
  ];
}

/** Under which a kill or revive is remembered. An id that was used for another target says nothing about this one. */
export function commandKey(target: KillTarget, commandId: string): string {
  return `${flagKey(target)} ${commandId}`;
}

/** Answers whether the change was newer than what stood. */
export function mergeFlag(flags: Flags, change: Flag): boolean {
  const key = flagKey(change.target);
  const flag = flags.get(key);
  const newer =
    flag === undefined ||
    change.revision > flag.revision ||
    (change.revision === flag.revision && change.killed && !flag.killed);
  if (newer) flags.set(key, change);
  return newer;
}

/** The flag that stops this agent, the widest first. */
export function stoppedBy(
  flags: Flags,
  tenant: string,
  agentId: string,
  standing: Standing,
): KillFact | null {
  if (flags.size === 0) return null;
  const flag = concerning(flags, tenant, agentId, standing).find((known) => known.killed);
  return flag === undefined ? null : killFact(flag);
}

export function killStatusIn(flags: Flags, tenant: string, agentId: string, standing: Standing): KillStatus {
  // At revision 0 it was revived, and never killed.
  const released = concerning(flags, tenant, agentId, standing).filter(
    ({ killed, revision }) => !killed && revision > 0,
  );
  const revivedAtMs = released.length === 0 ? null : Math.max(...released.map(({ atMs }) => atMs));
  return { killed: stoppedBy(flags, tenant, agentId, standing), revivedAtMs };
}

function concerning(flags: Flags, tenant: string, agentId: string, standing: Standing): Flag[] {
  const { formerAncestors = [] } = standing;
  const left = new Map(formerAncestors.map(({ id, leftAt }) => [id, leftAt]));
  return targetsAround(tenant, agentId, standing).flatMap((target) => {
    const flag = flags.get(flagKey(target));
    if (flag === undefined || target.scope !== 'family') return flag ?? [];
    const leftAt = left.get(target.agentId);
    // The kill does not apply to agents that left before it.
    return leftAt === undefined || (flag.killed && leftAt > flag.heldSince) ? flag : [];
  });
}

export function killFact({ target, revision, reason }: Flag): KillFact {
  const { scope } = target;
  return scope === 'family'
    ? { scope, revision, reason, agentId: target.agentId }
    : { scope, revision, reason };
}

/** Is it a flag of this tenant, or of everything? */
export function concerns(target: KillTarget, tenant: string): boolean {
  return target.scope === 'all' || target.tenant === tenant;
}
