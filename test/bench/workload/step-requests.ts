import { actionDigest, type Mandate, plan } from '@mandate/policy';
import { type Action, DEFAULTS, type StepRequest, TOPICS } from '@mandate/schemas';
import { newActions } from './actions.ts';
import { LIMITED_TOOL } from './mandate.ts';

let nextOffset = 0;

/** Returns a log position that no earlier call in this process returned. */
export function nextSource(): StepRequest['source'] {
  const offset = nextOffset;
  nextOffset += 1;
  return { topic: TOPICS.actions, partition: offset % 8, offset: offset };
}

/** Returns the request that a decider makes from an action, at its own log position. */
export function stepRequestOf(action: Action, mandate: Mandate, nowMs: number): StepRequest {
  return {
    op: 'decide',
    source: nextSource(),
    appendedAtMs: nowMs,
    tenant: DEFAULTS.tenant,
    agentId: action.agentId,
    actionId: action.id,
    attempt: 1,
    idempotencyKey: null,
    digest: actionDigest(action),
    type: action.type,
    tool: action.type === 'tool_call' ? action.tool : null,
    deadlineAtMs: null,
    maxRemembered: DEFAULTS.rememberedIds,
    plan: { ...plan(action, mandate, nowMs), controlRevision: 1 },
  };
}

/** Returns requests that the ledger allows, each under three budgets and two rates. */
export function stepRequests(count: number, mandate: Mandate): StepRequest[] {
  const nowMs = Date.now();
  return newActions(count).map(({ id, agentId }) =>
    stepRequestOf({ id, agentId, type: 'tool_call', tool: LIMITED_TOOL }, mandate, nowMs),
  );
}
