/**
 * The families that agents have left. A kill of a family stops every agent that was in it when it was killed, so the
 * register remembers of each agent which ancestors it had before, and at which revision it left them. The ledger compares
 * that revision with the one that was read when the family was killed (ADR 47).
 *
 * An agent that is retired keeps its place until it is registered again: retiring it, or an agent above it, is no way out.
 */
import { type AgentDocument, CAPS, type FormerAncestor } from '@mandate/schemas';
import type { Tenant } from './tenant-control.ts';

type Register = {
  readonly agents: Pick<Tenant['agents'], 'get'>;
  readonly retired: Pick<Tenant['retired'], 'get'>;
  readonly departures: ReadonlyMap<string, ReadonlyMap<string, number>>;
};

/** The nearest first. One that is retired stands where it stood, and so do those above it. */
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

/** What is remembered of the agent once it stands where the document says; null: nothing changes. */
export function departuresAfter(
  register: Register,
  { id, parent }: AgentDocument,
  revision: number,
): ReadonlyMap<string, number> | null {
  const before = ancestorsOf(register, id);
  const after = withAncestors(register, parent);
  const gone = [...before].filter((ancestor) => !after.has(ancestor));
  if (gone.length === 0) return null;
  const left = new Map(register.departures.get(id));
  for (const ancestor of gone) {
    // What stopped the ancestor stopped the agent below it.
    putLatest(left, register.departures.get(ancestor));
    left.set(ancestor, revision);
  }
  for (const ancestor of [id, ...after]) left.delete(ancestor);
  return left;
}

/** Forgets what is remembered of an agent that is itself forgotten. */
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

/** No more than may stand above an agent: those that are retired could make a longer chain, or a circle. */
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
