/**
 * The former ancestors of agents. If a person kills an agent with its descendants, the kill stops every agent that
 * was a descendant at that time. So the register remembers the former ancestors of each agent, and the revision at
 * which it left each of them. The ledger compares that revision with the revision at the time of the kill (ADR 47).
 *
 * A retired agent keeps its parent until it is registered again. So an agent does not avoid a kill if the agent or
 * one of its ancestors is retired.
 */
import { type AgentDocument, CAPS, type FormerAncestor } from '@mandate/schemas';
import type { Tenant } from './tenant-control.ts';

type Register = {
  readonly agents: Pick<Tenant['agents'], 'get'>;
  readonly retired: Pick<Tenant['retired'], 'get'>;
  readonly departures: ReadonlyMap<string, ReadonlyMap<string, number>>;
};

/** Returns the ancestors, the nearest first. Retired ancestors and their ancestors are included. */
export function ancestorsOf(register: Register, agentId: string): ReadonlySet<string> {
  return withAncestors(register, parentOf(register, agentId));
}

export function formerAncestorsOf(register: Register, agentId: string): readonly FormerAncestor[] {
  const { departures } = register;
  if (departures.size === 0) return [];
  const line = [agentId, ...ancestorsOf(register, agentId)];
  const left = new Map<string, number>();
  for (const one of line) putLatest(left, departures.get(one));
  for (const one of line) left.delete(one);
  return Array.from(left, ([id, leftAt]) => ({ id, leftAt }));
}

/**
 * Returns the former ancestors of the agent after the document takes effect. Null if the agent leaves no ancestor.
 */
export function departuresAfter(
  register: Register,
  { id, parent }: AgentDocument,
  revision: number,
): ReadonlyMap<string, number> | null {
  const parentBefore = parentOf(register, id);
  if (parentBefore === undefined || parentBefore === parent) return null;
  const before = withAncestors(register, parentBefore);
  const after = withAncestors(register, parent);
  const gone = [...before].filter((ancestor) => !after.has(ancestor));
  if (gone.length === 0) return null;
  const left = new Map(register.departures.get(id));
  for (const ancestor of gone) {
    // The former ancestors of a lost ancestor are former ancestors of the agent too: a kill of one of them also
    // stopped the agent.
    putLatest(left, register.departures.get(ancestor));
    left.set(ancestor, revision);
  }
  for (const ancestor of [id, ...after]) left.delete(ancestor);
  return left;
}

/** Returns how many more former ancestors are remembered after the document takes effect. */
export function departuresGrow(control: Tenant, agent: AgentDocument): number {
  const { size = 0 } = departuresAfter(control, agent, control.revision) ?? {};
  return size - (control.departures.get(agent.id)?.size ?? 0);
}

/** Removes the former ancestors of an agent that the register forgets. */
export function forgetDepartures(control: Tenant, agentId: string): void {
  control.departed -= control.departures.get(agentId)?.size ?? 0;
  control.departures.delete(agentId);
}

export function keepDepartures(control: Tenant, agentId: string, left: ReadonlyMap<string, number>): void {
  forgetDepartures(control, agentId);
  if (left.size > 0) control.departures.set(agentId, new Map(left));
  control.departed += left.size;
}

function parentOf({ agents, retired }: Register, agentId: string): string | undefined {
  return (agents.get(agentId) ?? retired.get(agentId))?.document.parent;
}

/**
 * Returns the ancestors, the nearest first, at most as many as an agent may have. Retired agents could form a longer
 * chain or a circle.
 */
function withAncestors(register: Register, nearest: string | undefined): ReadonlySet<string> {
  const ancestors = new Set<string>();
  let next = nearest;
  while (next !== undefined && !ancestors.has(next) && ancestors.size < CAPS.parents) {
    ancestors.add(next);
    next = parentOf(register, next);
  }
  return ancestors;
}

function putLatest(left: Map<string, number>, more: ReadonlyMap<string, number> | undefined): void {
  for (const [id, leftAt] of more ?? []) left.set(id, Math.max(leftAt, left.get(id) ?? 0));
}
