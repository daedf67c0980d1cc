/** Puts the ledger's facts about limits into words: for the record, and for the verdict if a limit failed. */

import type { Check, Json, Limit, LimitFact, MandateReference, Plan, RateLimit } from '@mandate/schemas';
import { OPEN_CALLS } from '@mandate/schemas/core';
import { failedLimit, firstFailing, isUnitLimit, VERDICTS } from '@mandate/step';
import { attribution } from './attribution.ts';
import { budgets } from './checks/budget.ts';
import type { Words } from './checks/check.ts';
import { confirmation } from './checks/confirmation.ts';
import { openCalls } from './checks/open-calls.ts';
import { mandateRate, toolRate } from './checks/rate.ts';
import { turn } from './checks/turn.ts';
import { unitLimits } from './checks/unit-limits.ts';

/**
 * Returns the reason and remedy of the first limit that failed. If waiting does not help against another failed
 * limit, the remedy says so.
 */
export function limitWords(
  limits: readonly Limit[],
  facts: readonly LimitFact[],
  mandate: MandateReference | null,
): Words {
  const at = firstFailing(facts);
  const limit = limits[at];
  const fact = facts[at];
  if (limit === undefined || fact === undefined) throw new TypeError('no limit failed');
  const { reason, remedy } = violationOf(limit, fact);
  if (fact.kind === 'confirmation') return { reason, remedy };
  const whose = limit.policy === undefined ? '' : attribution(limit.policy, mandate);
  return { reason: `${reason}${whose}`, remedy: remedyForAll(limits, facts) ?? remedy };
}

/**
 * Returns the remedy of the first failed limit that waiting does not help. Null if waiting helps all failed limits.
 */
function remedyForAll(limits: readonly Limit[], facts: readonly LimitFact[]): string | null {
  const at = facts.findIndex((fact) => !fact.ok && 'retryAfterMs' in fact && fact.retryAfterMs === null);
  const limit = limits[at];
  const fact = facts[at];
  return limit === undefined || fact === undefined ? null : violationOf(limit, fact).remedy;
}

/**
 * Returns the check of one limit for the record. The result is `skip` if the step ended before it checked the limits.
 */
export function limitCheck(plan: Plan, facts: readonly LimitFact[], at: number): Check {
  const limit = plan.limits[at] as Limit;
  const check = checkOf(limit).name;
  const fact = facts[at];
  if (fact === undefined) return { check, result: 'skip' };
  const found: Check = { check, result: resultOf(limit, fact), evidence: evidenceOf(limit, fact, plan) };
  if (limit.policy !== undefined) found.policy = limit.policy;
  if (limit.ancestor !== undefined) found.ancestor = limit.ancestor;
  return found;
}

function resultOf(limit: Limit, fact: LimitFact): Check['result'] {
  if (fact.ok) return 'pass';
  return VERDICTS[failedLimit(limit, fact)].verdict === 'DEFER' ? 'defer' : 'block';
}

function checkOf(limit: Limit): { name: string } {
  if (limit.kind === 'budget') return budgets;
  if (limit.kind === 'confirmation') return confirmation;
  if (limit.kind === 'turn') return turn;
  return isUnitLimit(limit) ? unitLimits[limit.kind] : rateCheckOf(limit);
}

function rateCheckOf({ tool }: RateLimit) {
  if (tool === null) return mandateRate;
  return tool === OPEN_CALLS ? openCalls : toolRate;
}

/** A limit and its fact have the same index, so they are of the same kind. */
function evidenceOf(limit: Limit, fact: LimitFact, { reserveMicros: costMicros, units }: Plan): Json {
  if (limit.kind === 'budget' && fact.kind === 'budget') return budgets.evidence(limit, fact, costMicros);
  if (isUnitLimit(limit) && 'used' in fact)
    return unitLimits[limit.kind].evidence(limit, fact, units?.[limit.kind]?.reserve ?? 0);
  if (limit.kind === 'rate' && fact.kind === 'rate') return mandateRate.evidence(limit, fact, costMicros);
  if (limit.kind === 'confirmation' && fact.kind === 'confirmation')
    return confirmation.evidence(limit, fact, costMicros);
  if (limit.kind === 'turn' && fact.kind === 'turn') return turn.evidence(limit, fact, costMicros);
  return notOneKind(limit, fact);
}

function violationOf(limit: Limit, fact: LimitFact): Words {
  if (limit.kind === 'budget' && fact.kind === 'budget') return budgets.violation(limit, fact);
  if (isUnitLimit(limit) && 'used' in fact) return unitLimits[limit.kind].violation(limit, fact);
  if (limit.kind === 'rate' && fact.kind === 'rate') return rateCheckOf(limit).violation(limit, fact);
  if (limit.kind === 'confirmation' && fact.kind === 'confirmation') {
    return confirmation.violation(limit, fact);
  }
  if (limit.kind === 'turn' && fact.kind === 'turn') return turn.violation(limit, fact);
  return notOneKind(limit, fact);
}

function notOneKind(limit: Limit, fact: LimitFact): never {
  throw new TypeError(`the ledger answered ${fact.kind} to a limit of kind ${limit.kind}`);
}
