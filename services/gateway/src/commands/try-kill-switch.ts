/** Says what a kill or revive would do. Changes nothing. */
import type { OpenAction } from '@mandate/ledger';
import type { KillFact, KillTarget } from '@mandate/schemas';
import type { HttpRequest } from '@mandate/server';
import { type Gateway, ledgerOf } from '../gateway.ts';

/** An answer lists at most this many open actions. */
const MOST_OPEN = 1_000;

export type WouldKill = {
  dryRun: true;
  target: KillTarget;
  /** Whether the own flag of the target is set already. */
  isKilled: boolean;
  revision: number;
  openCount: number;
  open: OpenAction[];
};

/** Counts as a change of the key, because no rate limit refuses a request of the route. Throws 429 TOO_MANY_CHANGES. */
export async function tryKill(
  gateway: Gateway,
  request: HttpRequest,
  target: KillTarget,
): Promise<WouldKill> {
  request.spend('changes', { records: 1 });
  return { dryRun: true, target, ...(await wouldKill(gateway, target, MOST_OPEN)) };
}

export type WouldKillSet = {
  dryRun: true;
  agents: (Omit<WouldKill, 'dryRun' | 'target'> & { agentId: string })[];
  openCount: number;
};

/** As `tryKill`, for several agents. Each agent counts as a change. */
export async function tryKillSet(
  gateway: Gateway,
  request: HttpRequest,
  targets: readonly Extract<KillTarget, { agentId: string }>[],
): Promise<WouldKillSet> {
  request.spend('changes', { records: targets.length });
  const mostOpen = Math.floor(MOST_OPEN / targets.length);
  const agents = await Promise.all(
    targets.map(async (target) => ({
      agentId: target.agentId,
      ...(await wouldKill(gateway, target, mostOpen)),
    })),
  );
  return { dryRun: true, agents, openCount: agents.reduce((sum, { openCount }) => sum + openCount, 0) };
}

async function wouldKill(gateway: Gateway, target: KillTarget, mostOpen: number) {
  const { killed: isKilled, revision } = await ledgerOf(gateway).flag(target);
  const open = await openOf(gateway, target);
  return { isKilled, revision, openCount: open.length, open: open.slice(0, mostOpen) };
}

async function openOf(gateway: Gateway, target: KillTarget): Promise<readonly OpenAction[]> {
  const ledger = ledgerOf(gateway);
  if (target.scope === 'all') {
    const each = await Promise.all((await ledger.tenants()).map((tenant) => ledger.open(tenant)));
    return each.flat();
  }
  const { tenant } = target;
  if (target.scope === 'agent') return ledger.open(tenant, target.agentId);
  const open = await ledger.open(tenant);
  if (target.scope === 'tenant') return open;
  return open.filter(({ agentId }) => isBelow(gateway, target, agentId));
}

/** True if the agent is the agent of the subtree, or one of its descendants. */
function isBelow(
  { ancestryOf }: Pick<Gateway, 'ancestryOf'>,
  subtree: Extract<KillTarget, { agentId: string }>,
  agentId: string,
): boolean {
  return (
    agentId === subtree.agentId || ancestryOf(subtree.tenant, agentId).ancestors.includes(subtree.agentId)
  );
}

export type WouldRevive = {
  dryRun: true;
  target: KillTarget;
  changed: boolean;
  revision: number;
  killed: KillFact | null;
};

export async function tryRevive(gateway: Gateway, target: KillTarget): Promise<WouldRevive> {
  const { killed: changed, revision } = await ledgerOf(gateway).flag(target);
  return { dryRun: true, target, changed, revision, killed: await stillStops(gateway, target) };
}

/** Returns the widest kill that would still stop the target. Null if there is none. */
async function stillStops(gateway: Gateway, target: KillTarget): Promise<KillFact | null> {
  if (target.scope === 'all') return null;
  const { tenant } = target;
  const standing = await ledgerOf(gateway).killed(tenant);
  const others = standing.filter(
    ({ target: other }) => other.scope !== target.scope || isOther(other, target),
  );
  const isOn = ({ target: other }: (typeof others)[number]) => {
    if (other.scope === 'all') return true;
    if (target.scope === 'tenant') return false;
    if (other.scope === 'tenant') return true;
    if (other.scope === 'agent') return other.agentId === target.agentId;
    return isBelow(gateway, other, target.agentId);
  };
  for (const scope of ['all', 'tenant', 'subtree', 'agent'] as const) {
    const found = others.find((one) => one.target.scope === scope && isOn(one));
    if (found !== undefined) {
      const { revision, reason, agentId } = found;
      return { scope, revision, reason, ...(agentId !== undefined && { agentId }) };
    }
  }
  return null;
}

function isOther(one: KillTarget, other: KillTarget): boolean {
  return 'agentId' in one && 'agentId' in other && one.agentId !== other.agentId;
}
