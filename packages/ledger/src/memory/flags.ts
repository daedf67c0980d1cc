/**
 * Kill flags for an agent, a subtree (an agent and its descendants), a tenant, or everything. When two flags merge,
 * the higher revision wins. If revisions are equal, the kill wins. So the result does not depend on the order of
 * events.
 */
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { Ancestry, KillInForce, KillReceipt, KillStatus } from '../port.ts';

export type Flag = {
  readonly target: KillTarget;
  readonly killed: boolean;
  readonly revision: number;
  readonly reason: string;
  /** When the flag last changed, in epoch milliseconds. */
  readonly atMs: number;
  /**
   * For a subtree: a revision of the control topic. An agent that leaves the subtree at a later revision is still
   * stopped. 0 for other targets.
   */
  readonly heldSince: number;
  /** The kill that set the flag. Null if the flag is clear. */
  readonly pulled: Pulled | null;
};

/** `sequence`: the sequence of the tenant at the kill. Null for everything, and while the kill is not complete. */
type Pulled = Pick<KillInForce, 'commandId' | 'by' | 'sequence'>;

/** The kill of a flag that an older program wrote. */
const UNNAMED: Pulled = { commandId: null, by: null, sequence: null };

/** Kill flags, by the key from `flagKey`. */
export type Flags = Map<string, Flag>;

/** Returns the key of a target. Keys are unique, because tenant names contain neither slash nor colon. */
export function flagKey(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  if (target.scope === 'tenant') return target.tenant;
  return `${target.tenant}${target.scope === 'agent' ? '/' : ':'}${target.agentId}`;
}

/** Returns the target of a key: the inverse of `flagKey`. */
export function targetOf(key: string): KillTarget {
  if (key === '*') return { scope: 'all' };
  const at = key.search(/[/:]/);
  if (at === -1) return { scope: 'tenant', tenant: key };
  const scope = key[at] === '/' ? 'agent' : 'subtree';
  return { scope, tenant: key.slice(0, at), agentId: key.slice(at + 1) };
}

/**
 * Returns all targets that may stop an agent, the widest first. Subtrees that the agent has left come before its
 * current subtrees.
 */
export function targetsAround(
  tenant: string,
  agentId: string,
  { ancestors = [], formerAncestors = [] }: Ancestry,
): KillTarget[] {
  return [
    { scope: 'all' },
    { scope: 'tenant', tenant },
    ...formerAncestors.map(({ id }): KillTarget => ({ scope: 'subtree', tenant, agentId: id })),
    ...ancestors.toReversed().map((id): KillTarget => ({ scope: 'subtree', tenant, agentId: id })),
    { scope: 'subtree', tenant, agentId },
    { scope: 'agent', tenant, agentId },
  ];
}

/**
 * Returns the key of a remembered kill or revive. It includes the target, because the same id with another target is
 * another command.
 */
export function commandKey(target: KillTarget, commandId: string): string {
  return `${flagKey(target)} ${commandId}`;
}

/** Stores the change if it is newer than the flag. Returns true if it was newer. */
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

/** Returns the widest flag that stops this agent. Null if no flag stops it. */
export function stoppedBy(
  flags: Flags,
  tenant: string,
  agentId: string,
  ancestry: Ancestry,
): KillFact | null {
  if (flags.size === 0) return null;
  const flag = concerning(flags, tenant, agentId, ancestry).find((known) => known.killed);
  return flag === undefined ? null : killFact(flag);
}

export function killStatusIn(flags: Flags, tenant: string, agentId: string, ancestry: Ancestry): KillStatus {
  // Skips flags with revision 0: their targets were never killed.
  const released = concerning(flags, tenant, agentId, ancestry).filter(
    ({ killed, revision }) => !killed && revision > 0,
  );
  const revivedAtMs = released.length === 0 ? null : Math.max(...released.map(({ atMs }) => atMs));
  return { killed: stoppedBy(flags, tenant, agentId, ancestry), revivedAtMs };
}

function concerning(flags: Flags, tenant: string, agentId: string, ancestry: Ancestry): Flag[] {
  const { formerAncestors = [] } = ancestry;
  const left = new Map(formerAncestors.map(({ id, leftAt }) => [id, leftAt]));
  return targetsAround(tenant, agentId, ancestry).flatMap((target) => {
    const flag = flags.get(flagKey(target));
    if (flag === undefined || target.scope !== 'subtree') return flag ?? [];
    const leftAt = left.get(target.agentId);
    // The flag of a subtree applies to a former member only if the member left after the kill.
    return leftAt === undefined || (flag.killed && leftAt > flag.heldSince) ? flag : [];
  });
}

function killFact({ target, revision, reason }: Flag): KillFact {
  const { scope } = target;
  return scope === 'subtree'
    ? { scope, revision, reason, agentId: target.agentId }
    : { scope, revision, reason };
}

export function killInForce(flag: Flag): KillInForce {
  const { target, atMs, pulled } = flag;
  return { ...killFact(flag), target, atMs, ...(pulled ?? UNNAMED) };
}

/** Returns the sequence of the kill in its tenant. Null for everything, because each tenant has its own sequence. */
export function sequenceOfKill(target: KillTarget, sequences: KillReceipt['sequences']): number | null {
  return target.scope === 'all' ? null : (sequences[target.tenant] ?? null);
}

/** True if the target is this tenant, a part of it, or everything. */
export function concerns(target: KillTarget, tenant: string): boolean {
  return target.scope === 'all' || target.tenant === tenant;
}
