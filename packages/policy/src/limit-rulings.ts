/** What the ledger saw at the limits, worded: for the record, and for the verdict when one of them failed. */
import {
  type Check,
  type Json,
  type Limit,
  type LimitFact,
  type MandateReference,
  mayNotWait,
  OPEN_CALLS,
  type Plan,
  type RateLimit,
} from '@mandate/schemas';
import { budgets } from './checks/budget.ts';
import type { Objection } from './checks/check.ts';
import { confirmation } from './checks/confirmation.ts';
import { openCalls } from './checks/open-calls.ts';
import { mandateRate, toolRate } from './checks/rate.ts';
import type { Ruling } from './ruling.ts';
import { whoseBound } from './whose-bound.ts';

/** The first limit that failed gives the verdict; the wait is long enough for all of them, and the remedy fits the wait. */
export function limited(
  limits: readonly Limit[],
  facts: readonly LimitFact[],
  mandate: MandateReference | null,
): Ruling | null {
  const at = facts.findIndex((fact) => !fact.ok);
  if (at === -1) return null;
  const limit = limits[at];
  const fact = facts[at];
  if (limit === undefined || fact === undefined) return null;
  const objection = objectionTo(limit, fact);
  if (fact.kind === 'confirmation') {
    const verdict = defers(limit, fact) ? 'DEFER' : 'BLOCK';
    return { verdict, ...objection, hard: fact.grant === 'denied', retryAfterMs: null };
  }
  const retryAfterMs = waitForAll(facts);
  const whose = limit.policy === undefined ? '' : whoseBound(limit.policy, mandate);
  const reason = `${objection.reason}${whose}`;
  const remedy = remedyForAll(limits, facts) ?? objection.remedy;
  return { verdict: 'BLOCK', ...objection, reason, remedy, hard: retryAfterMs === null, retryAfterMs };
}

/** What to do about the first limit that waiting does not mend; null when waiting mends all. */
function remedyForAll(limits: readonly Limit[], facts: readonly LimitFact[]): string | null {
  const at = facts.findIndex(
    (fact) => !fact.ok && fact.kind !== 'confirmation' && fact.retryAfterMs === null,
  );
  const limit = limits[at];
  const fact = facts[at];
  return limit === undefined || fact === undefined ? null : objectionTo(limit, fact).remedy;
}

/** null: one of them never passes by waiting. */
function waitForAll(facts: readonly LimitFact[]): number | null {
  let wait = 0;
  for (const fact of facts) {
    if (fact.ok || fact.kind === 'confirmation') continue;
    if (fact.retryAfterMs === null) return null;
    wait = Math.max(wait, fact.retryAfterMs);
  }
  return wait;
}

/** What goes on the record of the limit at this place; `skip` where the step ended before the limits were judged. */
export function limitCheck(plan: Plan, facts: readonly LimitFact[], at: number): Check {
  const limit = plan.limits[at] as Limit;
  const check = checkOf(limit).name;
  const fact = facts[at];
  if (fact === undefined) return { check, said: 'skip' };
  const found: Check = { check, said: said(limit, fact), saw: sawAt(limit, fact, plan.reserveMicros) };
  if (limit.policy === undefined) return found;
  if (limit.holder === undefined) return { ...found, policy: limit.policy };
  return { ...found, policy: limit.policy, holder: limit.holder };
}

function said(limit: Limit, fact: LimitFact): Check['said'] {
  if (fact.ok) return 'pass';
  return defers(limit, fact) ? 'defer' : 'block';
}

/** A person is to be asked, and this question may wait. */
function defers(limit: Limit, fact: LimitFact): boolean {
  if (limit.kind !== 'confirmation' || fact.kind !== 'confirmation') return false;
  return fact.grant === 'none' && !mayNotWait(limit, fact);
}

function checkOf(limit: Limit): { name: string } {
  if (limit.kind === 'budget') return budgets;
  if (limit.kind === 'confirmation') return confirmation;
  return rateCheckOf(limit);
}

function rateCheckOf({ tool }: RateLimit) {
  if (tool === null) return mandateRate;
  return tool === OPEN_CALLS ? openCalls : toolRate;
}

/** A limit and its fact stand at the same place and so are of one kind. */
function sawAt(limit: Limit, fact: LimitFact, costMicros: number): Json {
  if (limit.kind === 'budget' && fact.kind === 'budget') return budgets.saw(limit, fact, costMicros);
  if (limit.kind === 'rate' && fact.kind === 'rate') return mandateRate.saw(limit, fact, costMicros);
  if (limit.kind === 'confirmation' && fact.kind === 'confirmation')
    return confirmation.saw(limit, fact, costMicros);
  return notOneKind(limit, fact);
}

function objectionTo(limit: Limit, fact: LimitFact): Objection {
  if (limit.kind === 'budget' && fact.kind === 'budget') return budgets.objection(limit, fact);
  if (limit.kind === 'rate' && fact.kind === 'rate') return rateCheckOf(limit).objection(limit, fact);
  if (limit.kind === 'confirmation' && fact.kind === 'confirmation') {
    return confirmation.objection(limit, fact);
  }
  return notOneKind(limit, fact);
}

function notOneKind(limit: Limit, fact: LimitFact): never {
  throw new TypeError(`the ledger answered ${fact.kind} to a limit of kind ${limit.kind}`);
}
