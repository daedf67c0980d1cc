/** The data that the ledger remembers of an agent: its actions by id and attempt, and their idempotency keys. */
import { NONE_WAIT } from './deferral.ts';
import { isForgotten } from './deliveries.ts';
import type { AgentState, StoredDecision, TenantState } from './remembered.ts';

export function openAgent(tenant: TenantState, id: string): AgentState {
  let agent = tenant.agents.get(id);
  if (agent === undefined) {
    agent = {
      tenant,
      id,
      actions: new Map(),
      charges: [],
      unitCharges: {},
      waiting: NONE_WAIT,
      deliveries: 0,
    };
    tenant.agents.set(id, agent);
  }
  return agent;
}

/** Returns the stored decision for an attempt, even a forgotten decision. */
export function decisionForAttempt(
  agent: AgentState | undefined,
  { actionId, attempt }: { actionId: string; attempt: number },
): StoredDecision | undefined {
  for (const entry of attemptsOf(agent, actionId)) if (entry.attempt === attempt) return entry;
  return undefined;
}

/** Returns the decisions about all attempts of an action, in any order. */
export function attemptsOf(agent: AgentState | undefined, actionId: string): readonly StoredDecision[] {
  const attempts: StoredDecision[] = [];
  let entry = agent?.actions.get(actionId) ?? null;
  while (entry !== null) {
    attempts.push(entry);
    entry = entry.another;
  }
  return attempts;
}

/** Returns the decision about the highest attempt of an action. */
export function findLatest(agent: AgentState, actionId: string, nowMs: number): StoredDecision | undefined {
  let latest: StoredDecision | undefined;
  for (const entry of attemptsOf(agent, actionId)) {
    if (isForgotten(entry, nowMs)) continue;
    if (latest === undefined || entry.attempt > latest.attempt) latest = entry;
  }
  return latest;
}

/** Returns the id of the action that an idempotency key belongs to. */
export function findKeyOwner(agent: AgentState, key: string, nowMs: number): string | undefined {
  const actionId = agent.tenant.keys.get(keyOf(agent, key));
  if (actionId === undefined) return undefined;
  for (const entry of attemptsOf(agent, actionId)) {
    if (entry.idempotencyKey === key && !isForgotten(entry, nowMs)) return actionId;
  }
  return undefined;
}

/** Stores the decision for its attempt, replaces any earlier decision, and claims its idempotency key. */
export function claim(agent: AgentState, entry: StoredDecision): void {
  const { actionId, idempotencyKey, lease } = entry;
  const known = agent.actions.get(actionId);
  if (known !== undefined) entry.another = without(known, (other) => other.attempt === entry.attempt);
  agent.actions.set(actionId, entry);
  if (idempotencyKey !== null && !isClaimedSince(agent, idempotencyKey, entry)) {
    agent.tenant.keys.set(keyOf(agent, idempotencyKey), actionId);
  }
  if (lease !== null && lease.result === null) agent.tenant.running.add(entry);
}

/** Removes a forgotten decision, and frees its idempotency key. */
export function release(agent: AgentState, entry: StoredDecision): void {
  const { actionId, idempotencyKey } = entry;
  agent.tenant.running.delete(entry);
  const known = agent.actions.get(actionId);
  if (known !== undefined) {
    const left = without(known, (other) => other === entry);
    if (left === null) agent.actions.delete(actionId);
    else agent.actions.set(actionId, left);
  }
  if (idempotencyKey === null) return;
  const key = keyOf(agent, idempotencyKey);
  if (agent.tenant.keys.get(key) !== actionId) return;
  for (const other of attemptsOf(agent, actionId)) if (other.idempotencyKey === idempotencyKey) return;
  agent.tenant.keys.delete(key);
}

/**
 * True if the decision may replace the stored decision of its attempt. A log may contain two decisions about one
 * attempt. The second decision counts only if the first decision is forgotten, or is an older DEFER.
 */
export function mayReplace(agent: AgentState, entry: StoredDecision): boolean {
  const known = decisionForAttempt(agent, entry);
  if (known === undefined || known.forgetAtMs <= entry.atMs) return true;
  return known.verdict === 'DEFER' && known.sequence < entry.sequence;
}

/**
 * True if a later decision of another action claimed the key. Decisions come in such an order only from a log or a
 * snapshot.
 */
function isClaimedSince(agent: AgentState, key: string, entry: StoredDecision): boolean {
  const owner = agent.tenant.keys.get(keyOf(agent, key));
  if (owner === undefined || owner === entry.actionId) return false;
  for (const other of attemptsOf(agent, owner)) {
    if (other.idempotencyKey === key && other.atMs > entry.atMs) return true;
  }
  return false;
}

/** Returns the chain of attempts without the attempt for which `isMeant` is true. */
function without(first: StoredDecision, isMeant: (entry: StoredDecision) => boolean): StoredDecision | null {
  if (isMeant(first)) return first.another;
  for (let entry = first; entry.another !== null; entry = entry.another) {
    if (!isMeant(entry.another)) continue;
    entry.another = entry.another.another;
    break;
  }
  return first;
}

/** A space separates the two parts, because no id contains a space. */
function keyOf(agent: AgentState, idempotencyKey: string): string {
  return `${agent.id} ${idempotencyKey}`;
}
