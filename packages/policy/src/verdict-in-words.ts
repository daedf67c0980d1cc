/** Explains a verdict: the reason, and what to do. */
import type { FirstDecision, KillFact, Plan, StepFacts } from '@mandate/schemas';
import type { StepVerdict } from '@mandate/step';
import type { Words } from './checks/check.ts';
import { limitWords } from './limit-in-words.ts';
import { decisionId } from './record-ids.ts';

export const ALLOWED_WORDS: Words = {
  reason: 'Every check passed.',
  remedy: 'Go ahead, and report the outcome (action.completed).',
};

const NO_ROOM: Words = {
  reason:
    'The ledger remembers as many actions of this tenant as it may. If it forgot one of them early, that action could happen twice.',
  remedy:
    'Ask for fewer actions. Ids are forgotten after the replay memory. The operator of the plane can raise ' +
    '`rememberedIds` of the tenant, or give the ledger more memory.',
};

const LATE: Words = {
  reason: 'The request waited past its deadline, so its caller may have stopped waiting.',
  remedy: 'Ask again, as the next attempt of the same action.',
};

/** Returns the reason and remedy for the verdict of a plan and the facts of its step. */
export function wordsOf({ by }: StepVerdict, plan: Plan, facts: StepFacts): Words {
  switch (by) {
    case 'allowed':
      return ALLOWED_WORDS;
    case 'deferredAgain':
      return deferredAgain(known(facts.first));
    case 'duplicate':
      return duplicate(known(facts.first));
    case 'noRoom':
      return NO_ROOM;
    case 'late':
      return LATE;
    case 'killed':
      return killed(known(facts.kill), plan);
    case 'refusal':
      return known(plan.refusal);
    default:
      return limitWords(plan.limits, facts.limits, plan.mandate);
  }
}

/** Returns the fact, which must not be null: the verdict depends on it. */
function known<T>(fact: T | null): T {
  if (fact === null) throw new TypeError('a verdict without the fact that it follows from');
  return fact;
}

function deferredAgain(first: FirstDecision): Words {
  return {
    reason: `Decision ${earlierId(first)} deferred this action. Attempt ${first.attempt} still waits for an approval, or for the agent to send it again.`,
    remedy: 'Ask a person to approve it. Then send the same request again, with the same id and attempt.',
  };
}

function duplicate(first: FirstDecision): Words {
  const payload = first.samePayload ? '' : ' This request has other content than that one.';
  return {
    reason: `Decision ${earlierId(first)} on action "${first.actionId}", attempt ${first.attempt}, is valid: ${first.verdict} (${first.code}).${payload}`,
    remedy: first.samePayload
      ? 'Use that decision. A new attempt is accepted after a block that is not final, a failure or a lost lease.'
      : 'Give each action its own id, which the model does not choose.',
  };
}

function earlierId({ source, appendedAtMs, kind }: FirstDecision): string {
  return decisionId(source, appendedAtMs, kind);
}

function killed(kill: KillFact, { formerAncestors = [] }: Plan): Words {
  const hasLeft = kill.scope === 'subtree' && formerAncestors.some(({ id }) => id === kill.agentId);
  const below = hasLeft ? 'all its descendants at that time, this agent included,' : 'all its descendants,';
  const subtree = `The agent "${kill.agentId}", with ${below}`;
  const whom = { agent: 'This agent', subtree, tenant: 'Every agent of the tenant', all: 'Every agent' };
  return {
    reason: `${whom[kill.scope]} was stopped by the kill switch: ${kill.reason}`,
    remedy: 'Stop. An operator may revive the agent. After that, use new action ids.',
  };
}
