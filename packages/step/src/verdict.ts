/**
 * Computes the verdict from a plan and from the facts that the step found. The ledger stores the verdict, because
 * attempts, duplicates and charges depend on it. The policy adds the words.
 */
import type {
  Code,
  DecisionKind,
  FirstDecision,
  Limit,
  LimitFact,
  Plan,
  Refusal,
  StepFacts,
  TurnFact,
  Verdict,
} from '@mandate/schemas';
import { mayNotWait } from '@mandate/schemas/core';
import { waitForAll } from './limit-facts.ts';
import {
  NOT_PLANNED,
  VERDICT_OF_GRANT,
  VERDICT_OF_TURN,
  VERDICT_OF_UNIT,
  VERDICTS,
  type VerdictName,
  type VerdictRow,
} from './verdict-table.ts';

/** `final`: true if a retry cannot help. */
export type VerdictCode = Pick<VerdictRow, 'verdict' | 'code'> & { readonly final: boolean };

/** `by`: the row of the table that determines the verdict, or the refusal of the plan. */
export type StepVerdict = VerdictCode & {
  readonly by: VerdictName | 'refusal';
  readonly retryAfterMs: number | null;
};

/** The facts on which a verdict depends. */
export type Findings = Pick<StepFacts, 'first' | 'unremembered' | 'late' | 'kill' | 'limits'>;

/** Returns the verdict if the mandate is enforced. The checks are examined in the order of the step. */
export function enforcedVerdict(plan: Plan, found: Findings): StepVerdict {
  if (found.first !== null) return isAskedAgain(found.first) ? ROWS.deferredAgain : ROWS.duplicate;
  if (found.unremembered) return ROWS.noRoom;
  if (found.late) return ROWS.late;
  if (found.kill !== null) return ROWS.killed;
  if (plan.refusal !== null) return refused(plan.refusal);
  return limitsVerdict(plan.limits, found.limits);
}

/** Returns the published verdict. A mandate in observe mode lifts its own refusals, and no other refusals. */
export function publishedVerdict(
  plan: Plan,
  found: Findings,
  enforced: StepVerdict = enforcedVerdict(plan, found),
): StepVerdict {
  return isObserveOnly(plan) && !endsStep(found) ? ROWS.allowed : enforced;
}

/** True if the mandate lifts its own refusals. It never lifts the refusal of a plan that failed with an error. */
export function isObserveOnly(plan: Pick<Plan, 'observe' | 'refusal'>): boolean {
  return plan.observe && plan.refusal?.code !== NOT_PLANNED;
}

/** True if the step ended before it used the plan. */
export function endsStep({ first, unremembered, late, kill }: Omit<Findings, 'limits'>): boolean {
  return first !== null || unremembered || late || kill !== null;
}

export function decisionKind({ first, unremembered, late }: Omit<Findings, 'limits' | 'kill'>): DecisionKind {
  if (unremembered) return 'unremembered';
  if (first !== null) return 'duplicate';
  return late ? 'expired' : 'first';
}

/** Returns the verdict of the limits alone. The first limit that failed determines it. */
export function limitsVerdict(limits: readonly Limit[], facts: readonly LimitFact[]): StepVerdict {
  const at = firstFailing(facts);
  if (at === -1) return ROWS.allowed;
  const fact = facts[at] as LimitFact;
  const by = failedLimit(limits[at], fact);
  const { verdict, code, final } = VERDICTS[by];
  if (final !== null) return ROWS[by];
  const retryAfterMs = waitForAll(facts);
  return stepVerdict(by, verdict, code, retryAfterMs === null, retryAfterMs);
}

/** Returns the index of the first limit that failed, or -1. */
export function firstFailing(facts: readonly LimitFact[]): number {
  for (let at = 0; at < facts.length; at += 1) if (facts[at]?.ok === false) return at;
  return -1;
}

/** Returns the row of the verdict table for one limit that failed. */
export function failedLimit(limit: Limit | undefined, fact: LimitFact): VerdictName {
  if (fact.kind === 'budget') return 'overBudget';
  if (fact.kind === 'rate') return 'overRate';
  if (fact.kind === 'turn') return failedTurn(limit, fact);
  if (fact.kind !== 'confirmation') return VERDICT_OF_UNIT[fact.kind];
  if (limit?.kind === 'confirmation' && mayNotWait(limit, fact)) return 'tooManyWait';
  return fact.grant === 'granted' ? 'asksPerson' : VERDICT_OF_GRANT[fact.grant];
}

function failedTurn(limit: Limit | undefined, { fails }: TurnFact): VerdictName {
  const isTool = limit?.kind === 'turn' && limit.counts === 'tool';
  if (fails === 'intent' && !isTool) return 'storeNotForIntent';
  return VERDICT_OF_TURN[fails ?? 'unknown'];
}

function refused({ code, final }: Refusal): StepVerdict {
  return stepVerdict('refusal', 'BLOCK', code, final, final ? null : 0);
}

function isAskedAgain({ verdict, samePayload }: FirstDecision): boolean {
  return verdict === 'DEFER' && samePayload;
}

/** Creates every verdict object with its fields in the same order. JavaScript engines read such objects fastest. */
function stepVerdict(
  by: StepVerdict['by'],
  verdict: Verdict,
  code: Code,
  final: boolean,
  retryAfterMs: number | null,
): StepVerdict {
  return { by, verdict, code, final, retryAfterMs };
}

/** Every row of the table as a verdict, created once. `limitsVerdict` sets `final` for the rows of counters. */
const ROWS = Object.fromEntries(
  Object.entries(VERDICTS).map(([by, { verdict, code, final, retryAfterMs }]) => [
    by,
    stepVerdict(by as VerdictName, verdict, code, final === true, retryAfterMs),
  ]),
) as Readonly<Record<VerdictName, StepVerdict>>;
