/** What is said of an action, in full: a verdict with its code, its reason and what to do about it. */
import type { Code, Plan, StepFacts, Verdict } from '@mandate/schemas';
import { decisionId } from './record-ids.ts';

export type Ruling = {
  verdict: Verdict;
  code: Code;
  reason: string;
  remedy: string;
  hard: boolean;
  retryAfterMs: number | null;
};

export const ALLOWED: Ruling = {
  verdict: 'ALLOW',
  code: 'ALLOWED',
  reason: 'Every check passed.',
  remedy: 'Go ahead, and report the outcome (action.completed).',
  hard: false,
  retryAfterMs: null,
};

/** Known already, under this id or this idempotency key. A deferred action that is asked again is deferred again. */
export function duplicated({ first }: StepFacts): Ruling | null {
  if (first === null) return null;
  const earlier = decisionId(first.source, first.appendedAtMs, first.kind);
  if (first.verdict === 'DEFER' && first.samePayload) {
    return {
      verdict: 'DEFER',
      code: 'APPROVAL_REQUIRED',
      reason: `Decision ${earlier} deferred this action, and attempt ${first.attempt} of it still waits: to be confirmed, or to be sent again.`,
      remedy: 'Have it approved, then send the same request, with the same id and attempt, again.',
      hard: false,
      retryAfterMs: null,
    };
  }
  const payload = first.samePayload ? '' : ' This request carries another payload than that one.';
  return {
    verdict: 'BLOCK',
    code: 'DUPLICATE_ACTION',
    reason: `Decision ${earlier} on action "${first.actionId}", attempt ${first.attempt}, stands: ${first.verdict} (${first.code}).${payload}`,
    remedy: first.samePayload
      ? 'Use that decision. A new attempt is taken after a soft block, a failure or a lost lease.'
      : 'Give each action an id of its own, made outside the model.',
    hard: true,
    retryAfterMs: null,
  };
}

export function notRemembered({ unremembered }: StepFacts): Ruling | null {
  if (!unremembered) return null;
  return {
    verdict: 'BLOCK',
    code: 'REPLAY_MEMORY_FULL',
    reason:
      'The ledger remembers as many actions of this tenant as it may. To forget one of them early would let it happen twice.',
    remedy:
      'Ask for less; ids are forgotten after the replay memory. Whoever runs the plane can raise `rememberedIds` of the tenant, or give the ledger more memory.',
    hard: false,
    retryAfterMs: null,
  };
}

export function late({ late }: StepFacts): Ruling | null {
  if (!late) return null;
  return {
    verdict: 'BLOCK',
    code: 'DEADLINE_EXCEEDED',
    reason: 'The request waited past its deadline, so nobody may still be waiting for it.',
    remedy: 'Ask again, as the next attempt of the same action.',
    hard: false,
    retryAfterMs: 0,
  };
}

export function killed({ kill }: StepFacts, plan: Plan): Ruling | null {
  if (kill === null) return null;
  const { formerAncestors = [] } = plan;
  const hasLeft = kill.scope === 'family' && formerAncestors.some(({ id }) => id === kill.agentId);
  const below = hasLeft ? 'everything that was below it then, this agent included,' : 'everything below it,';
  const family = `The agent "${kill.agentId}", with ${below}`;
  const whom = { agent: 'This agent', family, tenant: 'Every agent of the tenant', all: 'Every agent' };
  return {
    verdict: 'BLOCK',
    code: 'AGENT_KILLED',
    reason: `${whom[kill.scope]} was stopped by the kill switch: ${kill.reason}`,
    remedy: 'Stop. An operator may revive it; actions need new ids then.',
    hard: true,
    retryAfterMs: null,
  };
}
