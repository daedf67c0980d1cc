/**
 * What rules in shadow would have said, told beside a decision. They are judged by what the step found for the plan that is
 * enforced: nothing is asked of the ledger for their sake, and nothing is charged. So of a limit that only they set it is
 * not known what its counter would hold.
 */

import type {
  Code,
  Limit,
  LimitFact,
  Plan,
  Shadow,
  ShadowLimit,
  ShadowPlan,
  StepFacts,
} from '@mandate/schemas';
import { OPEN_CALLS, TOTAL_BUDGET } from '@mandate/schemas/core';
import { limitsVerdict, mostCallsBefore, mostSpentBefore, VERDICTS } from '@mandate/step';
import type { InShadow } from './rules/rules-in-force.ts';

type ShadowVerdict = Pick<Shadow, 'verdict' | 'code' | 'unknownLimits'>;

/** It takes too much to know what they would say, and the decision does without. */
export function unknownShadow({ rules, policies }: Pick<InShadow, 'rules' | 'policies'>): ShadowPlan {
  // Right at no time at all.
  const never = { holdsFromMs: 0, holdsUntilMs: 0 };
  return { rules, policies, ...never, code: null, limits: [], unknownLimits: 0, asksPerson: false };
}

/** @param made of the same action, under the rules in shadow as well */
export function shadowPlan(
  agentId: string,
  enforced: Plan,
  made: Plan,
  { rules, policies }: InShadow,
): ShadowPlan {
  const code = made.observe ? null : (made.refusal?.code ?? null);
  if (code === 'RULES_TOO_COSTLY') return unknownShadow({ rules, policies });
  const limits: ShadowLimit[] = [];
  let unknownLimits = 0;
  let asksPerson = false;
  for (const limit of code !== null || made.observe ? [] : made.limits) {
    if (limit.kind === 'confirmation') {
      asksPerson = true;
      continue;
    }
    // So is how many calls may be open.
    if (limit.kind === 'rate' && limit.tool === OPEN_CALLS) continue;
    const at = isTotalOf(agentId, limit) ? 'total' : placeOf(limit, enforced.limits);
    if (at === null) unknownLimits += 1;
    else limits.push({ kind: limit.kind, at, most: mostOf(limit, made.reserveMicros) });
  }
  return {
    rules,
    policies,
    holdsFromMs: made.holdsFromMs,
    holdsUntilMs: made.holdsUntilMs,
    code,
    limits,
    unknownLimits,
    asksPerson,
  };
}

type Counted = Exclude<Limit, { kind: 'confirmation' }>;

function isTotalOf(agentId: string, limit: Counted): boolean {
  if (limit.kind !== 'budget' || limit.windowMs !== null) return false;
  return limit.id === TOTAL_BUDGET && limit.scope === 'agent' && limit.subject === agentId;
}

/** null: the step will not look at its counter. */
function placeOf(limit: Counted, enforced: readonly Limit[]): number | null {
  const at = enforced.findIndex((one) => sharesCounter(one, limit));
  return at === -1 ? null : at;
}

function sharesCounter(one: Limit, other: Counted): boolean {
  if (one.kind === 'rate' && other.kind === 'rate')
    return one.agentId === other.agentId && one.tool === other.tool && one.windowMs === other.windowMs;
  if (one.kind !== 'budget' || other.kind !== 'budget') return false;
  return (
    one.scope === other.scope &&
    one.subject === other.subject &&
    one.id === other.id &&
    one.windowMs === other.windowMs
  );
}

/** What the counter may hold before the call. */
function mostOf(limit: Counted, reserveMicros: number): number {
  if (limit.kind === 'rate') return mostCallsBefore(limit.maxCalls);
  return mostSpentBefore(limit.maxMicros, reserveMicros);
}

export function inShadow(plan: ShadowPlan, facts: StepFacts): Shadow {
  const { verdict, code, unknownLimits } = holds(plan, facts.atMs) ? judged(plan, facts) : unknown(plan);
  return { verdict, code, unknownLimits, rules: [...plan.rules], policies: [...plan.policies] };
}

function holds({ holdsFromMs, holdsUntilMs }: ShadowPlan, atMs: number): boolean {
  return holdsFromMs <= atMs && atMs < (holdsUntilMs ?? Number.POSITIVE_INFINITY);
}

function unknown({ unknownLimits }: Pick<ShadowPlan, 'unknownLimits'>): ShadowVerdict {
  return { verdict: 'UNKNOWN', code: null, unknownLimits };
}

const CODES: Readonly<Record<ShadowLimit['kind'], Code>> = {
  budget: VERDICTS.overBudget.code,
  rate: VERDICTS.overRate.code,
};

/** One limit that fails blocks, whatever is not known of others; a person is asked where all hold. */
function judged(plan: ShadowPlan, facts: StepFacts): ShadowVerdict {
  if (plan.code !== null) return { verdict: 'BLOCK', code: plan.code, unknownLimits: 0 };
  let { unknownLimits } = plan;
  let fails: Code | null = null;
  for (const { kind, at, most } of plan.limits) {
    const held = heldBy(at, facts);
    if (held === null) unknownLimits += 1;
    else if (held > most) fails ??= CODES[kind];
  }
  if (fails !== null) return { verdict: 'BLOCK', code: fails, unknownLimits };
  if (unknownLimits > 0) return unknown({ unknownLimits });
  const { verdict, code } = plan.asksPerson
    ? limitsVerdict([ASKS_PERSON], [grantIn(facts)])
    : VERDICTS.allowed;
  return { verdict, code, unknownLimits };
}

/** How many may wait is left to the mandate that is enforced. */
const ASKS_PERSON: Limit = { kind: 'confirmation', maxWaiting: Number.MAX_SAFE_INTEGER };

/** null where the step ended before it looked. */
function heldBy(
  at: ShadowLimit['at'],
  { limits, cumulativeMicros, chargedMicros }: StepFacts,
): number | null {
  if (at === 'total') return cumulativeMicros - chargedMicros;
  const fact = limits[at];
  if (fact?.kind === 'budget') return fact.spentMicros;
  return fact?.kind === 'rate' ? fact.calls : null;
}

/** If no person was asked, there is no answer. */
function grantIn({ limits }: StepFacts): LimitFact {
  const fact = limits.find(({ kind }) => kind === 'confirmation');
  return fact ?? { kind: 'confirmation', ok: false, grant: 'none', waiting: 0 };
}
