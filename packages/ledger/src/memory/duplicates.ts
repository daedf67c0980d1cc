/** Checks whether a request repeats an action that was already decided (docs/semantics.md section 3). */
import type { FirstDecision, StepRequest } from '@mandate/schemas';
import { decisionForAttempt, findKeyOwner, findLatest } from './agents.ts';
import { isForgotten, mayBeRetried } from './deliveries.ts';
import { grantState } from './grants.ts';
import { sourceOf } from './log-positions.ts';
import type { AgentState, StoredDecision, TenantState } from './remembered.ts';

/** Returns the earlier decision if the request repeats its action. Null if the request must be decided. */
export function findFirst(tenant: TenantState, request: StepRequest, nowMs: number): FirstDecision | null {
  const agent = tenant.agents.get(request.agentId);
  if (agent === undefined) return null;
  const entry =
    conflictingDecision(tenant, agent, request, nowMs) ?? decisionOwningKey(agent, request, nowMs) ?? null;
  return entry === null ? null : firstDecision(entry, request.digest);
}

/**
 * Searches by action id. Returns the decision about the same attempt, or the latest decision if no further attempt is
 * allowed.
 */
function conflictingDecision(
  tenant: TenantState,
  agent: AgentState,
  request: StepRequest,
  nowMs: number,
): StoredDecision | undefined {
  const same = decisionForAttempt(agent, request);
  if (same !== undefined && !isForgotten(same, nowMs))
    return isAnswered(tenant, same, request, nowMs) ? undefined : same;
  const latest = findLatest(agent, request.actionId, nowMs);
  if (latest === undefined) return undefined;
  return request.attempt > latest.attempt && mayBeRetried(latest, nowMs) ? undefined : latest;
}

/** True if a person has answered the deferred request. Then the request is decided again. */
function isAnswered(tenant: TenantState, same: StoredDecision, request: StepRequest, nowMs: number): boolean {
  if (same.verdict !== 'DEFER' || same.digest !== request.digest) return false;
  return grantState(tenant.grants, request, nowMs) !== 'none';
}

/** Searches by idempotency key. Returns the latest attempt of the other action that owns the key. */
function decisionOwningKey(
  agent: AgentState,
  request: StepRequest,
  nowMs: number,
): StoredDecision | undefined {
  if (request.idempotencyKey === null) return undefined;
  const owner = findKeyOwner(agent, request.idempotencyKey, nowMs);
  return owner === undefined || owner === request.actionId ? undefined : findLatest(agent, owner, nowMs);
}

function firstDecision(entry: StoredDecision, digest: string): FirstDecision {
  return {
    source: sourceOf(entry),
    appendedAtMs: entry.appendedAtMs,
    kind: entry.kind,
    actionId: entry.actionId,
    attempt: entry.attempt,
    verdict: entry.verdict,
    code: entry.code,
    samePayload: entry.digest === digest,
  };
}
