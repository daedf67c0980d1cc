import { actionDigest, type Mandate, plan } from '@mandate/policy';
import { type Action, DEFAULTS, type StepRequest, TOPICS } from '@mandate/schemas';
import { newActions } from './actions.ts';
import { LIMITED_TOOL } from './mandate.ts';

let nextOffset = 0;

/** Requests as the decider hands them to the ledger: each allowed, under three budgets and two rates, and at a coordinate of its own. */
export function stepRequests(count: number, mandate: Mandate): StepRequest[] {
  const nowMs = Date.now();
  return newActions(count).map(({ id, agentId }): StepRequest => {
    const action: Action = { id, agentId, type: 'tool_call', tool: LIMITED_TOOL };
    return {
      op: 'decide',
      source: { topic: TOPICS.actions, partition: nextOffset % 8, offset: String(nextOffset++) },
      appendedAtMs: nowMs,
      tenant: DEFAULTS.tenant,
      agentId: action.agentId,
      actionId: action.id,
      attempt: 1,
      idempotencyKey: null,
      digest: actionDigest(action),
      deadlineAtMs: null,
      maxRemembered: DEFAULTS.rememberedIds,
      plan: { ...plan(action, mandate, nowMs), controlRevision: 1 },
    };
  });
}
