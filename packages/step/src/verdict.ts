/**
 * The verdict that follows from what the step found: the small part of a decision that the ledger itself must know,
 * because attempts, duplicates and charges depend on it. The full decision, with its texts, is the policy's.
 */
import {
  type Code,
  type FirstDecision,
  type LimitFact,
  mayNotWait,
  type Plan,
  type StepFacts,
  type Verdict,
} from '@mandate/schemas';

/** `hard`: asking again cannot help. */
export type Ruling = { verdict: Verdict; code: Code; hard: boolean };

/** The part of the facts that a verdict follows from. */
export type Findings = Pick<StepFacts, 'first' | 'unremembered' | 'late' | 'kill' | 'limits'>;

const ALLOWED: Ruling = { verdict: 'ALLOW', code: 'ALLOWED', hard: false };

/** What the mandate says when it is enforced. The order is that of the step. */
export function enforce(plan: Plan, found: Findings): Ruling {
  if (found.first !== null) return repeat(found.first);
  if (found.unremembered) return { verdict: 'BLOCK', code: 'REPLAY_MEMORY_FULL', hard: false };
  if (found.late) return { verdict: 'BLOCK', code: 'DEADLINE_EXCEEDED', hard: false };
  if (found.kill !== null) return { verdict: 'BLOCK', code: 'AGENT_KILLED', hard: true };
  if (plan.refusal !== null) {
    return { verdict: 'BLOCK', code: plan.refusal.code, hard: plan.refusal.hard };
  }
  const failing = found.limits.filter((fact) => !fact.ok);
  const [first] = failing;
  return first === undefined ? ALLOWED : refuse(first, failing, plan);
}

/** What is published: a mandate that only watches lets its own refusals through, and nothing else. */
export function rule(plan: Plan, found: Findings): Ruling {
  const ended = found.first !== null || found.unremembered || found.late || found.kill !== null;
  return watches(plan) && !ended ? ALLOWED : enforce(plan, found);
}

/** Observe mode softens what a mandate says, never what could not be planned at all. */
export function watches(plan: Plan): boolean {
  return plan.observe && plan.refusal?.code !== 'INTERNAL_ERROR';
}

/** A deferred request that is asked again is deferred again. */
function repeat(first: FirstDecision): Ruling {
  return first.verdict === 'DEFER' && first.samePayload
    ? { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', hard: false }
    : { verdict: 'BLOCK', code: 'DUPLICATE_ACTION', hard: true };
}

function refuse(first: LimitFact, failing: readonly LimitFact[], plan: Plan): Ruling {
  if (first.kind === 'confirmation') return ask(first, plan);
  // A caller waits until all of them would pass: one that never will makes the whole refusal hard.
  const hard = failing.some((fact) => fact.kind !== 'confirmation' && fact.retryAfterMs === null);
  const code = first.kind === 'rate' ? 'RATE_LIMIT_EXCEEDED' : 'COST_LIMIT_EXCEEDED';
  return { verdict: 'BLOCK', code, hard };
}

/** A plan asks for a person once at most. */
function ask(fact: LimitFact & { kind: 'confirmation' }, { limits }: Plan): Ruling {
  if (fact.grant === 'denied') return { verdict: 'BLOCK', code: 'APPROVAL_DENIED', hard: true };
  if (fact.grant === 'expired') return { verdict: 'BLOCK', code: 'APPROVAL_EXPIRED', hard: false };
  const limit = limits.find(({ kind }) => kind === 'confirmation');
  if (limit?.kind === 'confirmation' && mayNotWait(limit, fact)) {
    return { verdict: 'BLOCK', code: 'WAITING_LIMIT_EXCEEDED', hard: false };
  }
  return { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', hard: false };
}
