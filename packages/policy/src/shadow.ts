/**
 * Computes the verdict of rules in shadow, which is recorded beside a decision. It uses the facts that the step found
 * for the enforced plan. The ledger is not asked again, and nothing is charged. So the counter of a limit is unknown
 * if only rules in shadow have this limit.
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
import { isUnitLimit, limitsVerdict, mostCallsBefore, mostSpentBefore, VERDICTS } from '@mandate/step';
import type { InShadow } from './rules/rules-in-force.ts';
import { holdsAt } from './validity-interval.ts';

type ShadowVerdict = Pick<Shadow, 'verdict' | 'code' | 'unknownLimits'>;

/**
 * Returns the shadow plan to use if the rules in shadow take too many steps. Its verdict is unknown. The decision
 * does not depend on it.
 */
export function unknownShadow({ rules, policies }: Pick<InShadow, 'rules' | 'policies'>): ShadowPlan {
  // An empty validity: the plan is never valid.
  const never = { holdsFromMs: 0, holdsUntilMs: 0 };
  return { rules, policies, ...never, code: null, limits: [], unknownLimits: 0, asksPerson: false };
}

/** @param made the plan of the same action, as if the rules in shadow were in force too */
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
    // The limits of turns are not compared, because they depend on more than one counter.
    if (limit.kind === 'turn') {
      unknownLimits += 1;
      continue;
    }
    // The open calls are not compared with limits in shadow: only the enforced mandate checks their number.
    if (limit.kind === 'rate' && limit.tool === OPEN_CALLS) continue;
    const at = isTotalOf(agentId, limit) ? 'total' : placeOf(limit, enforced.limits);
    if (at === null) unknownLimits += 1;
    else limits.push({ kind: limit.kind, at, most: mostOf(limit, made) });
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

type Counted = Exclude<Limit, { kind: 'confirmation' | 'turn' }>;

function isTotalOf(agentId: string, limit: Counted): boolean {
  if (limit.kind !== 'budget' || limit.windowMs !== null) return false;
  return limit.id === TOTAL_BUDGET && limit.scope === 'agent' && limit.subject === agentId;
}

/**
 * Returns the index of the enforced limit on the same counter. Null if no enforced limit uses this counter, because
 * the step then does not read it.
 */
function placeOf(limit: Counted, enforced: readonly Limit[]): number | null {
  const at = enforced.findIndex((one) => sharesCounter(one, limit));
  return at === -1 ? null : at;
}

function sharesCounter(one: Limit, other: Counted): boolean {
  if (one.kind === 'rate' && other.kind === 'rate')
    return one.agentId === other.agentId && one.tool === other.tool && one.windowMs === other.windowMs;
  if (one.kind !== other.kind || !('scope' in one && 'id' in one && 'id' in other)) return false;
  return (
    one.scope === other.scope &&
    one.subject === other.subject &&
    one.id === other.id &&
    one.windowMs === other.windowMs
  );
}

/** Returns the largest value of the counter, before the call, with which the call still passes. */
function mostOf(limit: Counted, { reserveMicros, units }: Plan): number {
  if (limit.kind === 'rate') return mostCallsBefore(limit.maxCalls);
  if (isUnitLimit(limit)) return mostSpentBefore(limit.most, units?.[limit.kind]?.reserve ?? 0);
  return mostSpentBefore(limit.maxMicros, reserveMicros);
}

export function inShadow(plan: ShadowPlan, facts: StepFacts): Shadow {
  const { verdict, code, unknownLimits } = holdsAt(plan, facts.atMs) ? judged(plan, facts) : unknown(plan);
  return { verdict, code, unknownLimits, rules: [...plan.rules], policies: [...plan.policies] };
}

function unknown({ unknownLimits }: Pick<ShadowPlan, 'unknownLimits'>): ShadowVerdict {
  return { verdict: 'UNKNOWN', code: null, unknownLimits };
}

const CODES: Readonly<Record<ShadowLimit['kind'], Code>> = {
  budget: VERDICTS.overBudget.code,
  tokens: VERDICTS.overTokens.code,
  toolCalls: VERDICTS.overToolCalls.code,
  rate: VERDICTS.overRate.code,
};

/**
 * Returns the verdict. One failed limit blocks, even if other limits are unknown. A person is asked only if all
 * limits pass.
 */
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

/** A confirmation with no limit on waiting questions, because only the enforced mandate checks their number. */
const ASKS_PERSON: Limit = { kind: 'confirmation', maxWaiting: Number.MAX_SAFE_INTEGER };

/** Returns the value of the counter before the call. Null if the step ended before it read the counter. */
function heldBy(
  at: ShadowLimit['at'],
  { limits, cumulativeMicros, chargedMicros }: StepFacts,
): number | null {
  if (at === 'total') return cumulativeMicros - chargedMicros;
  const fact = limits[at];
  if (fact?.kind === 'budget') return fact.spentMicros;
  if (fact?.kind === 'rate') return fact.calls;
  return fact !== undefined && 'used' in fact ? fact.used : null;
}

/**
 * Returns the fact about the answer of a person. Without a confirmation in the enforced plan, it says that no person
 * has answered.
 */
function grantIn({ limits }: StepFacts): LimitFact {
  const fact = limits.find(({ kind }) => kind === 'confirmation');
  return fact ?? { kind: 'confirmation', ok: false, grant: 'none', waiting: 0 };
}
