/**
 * Kill flags: one each for an agent, a tenant, everything. They merge: of two states of a flag the higher revision
 * wins, and at a tie the kill, so that they come out the same in whatever order their events are read.
 */
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { KillStatus } from '../port.ts';

export type Flag = {
  readonly target: KillTarget;
  readonly killed: boolean;
  readonly revision: number;
  readonly reason: string;
  /** When it was last changed. */
  readonly atMs: number;
};

/** By key. */
export type Flags = Map<string, Flag>;

/** A tenant has no slash in its name: no two targets share a key. */
export function flagKey(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  return target.scope === 'tenant' ? target.tenant : `${target.tenant}/${target.agentId}`;
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
export function stoppedBy(flags: Flags, tenant: string, agentId: string): KillFact | null {
  if (flags.size === 0) return null;
  const flag = concerning(flags, tenant, agentId).find((known) => known.killed);
  return flag === undefined ? null : killFact(flag);
}

export function killStatusIn(flags: Flags, tenant: string, agentId: string): KillStatus {
  // At revision 0 it was revived, and never killed.
  const released = concerning(flags, tenant, agentId).filter(
    ({ killed, revision }) => !killed && revision > 0,
  );
  const revivedAtMs = released.length === 0 ? null : Math.max(...released.map(({ atMs }) => atMs));
  return { killed: stoppedBy(flags, tenant, agentId), revivedAtMs };
}

function concerning(flags: Flags, tenant: string, agentId: string): Flag[] {
  return [flags.get('*'), flags.get(tenant), flags.get(flagKey({ scope: 'agent', tenant, agentId }))].filter(
    (known) => known !== undefined,
  );
}

export function killFact(flag: Flag): KillFact {
  return { scope: flag.target.scope, revision: flag.revision, reason: flag.reason };
}

/** Is it a flag of this tenant, or of everything? */
export function concerns(target: KillTarget, tenant: string): boolean {
  return target.scope === 'all' || target.tenant === tenant;
}
