/**
 * The rule for a budget that has reached a certain percentage of its limit, exact to the micro-dollar. The rule uses
 * the state of the ledger at a decision. So spending by an outcome counts at the next decision. Another rule reports
 * an outcome that overdraws a budget.
 */
import {
  type BudgetAdjusted,
  type BudgetLimit,
  budgetSubject,
  type Decision,
  formatMicros,
  mandateOfBudget,
  sumMicros,
} from '@mandate/schemas';
import { z } from 'zod';
import type { Alarms } from './alarms.ts';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';
import { reaches } from './windowed-shares.ts';

type BudgetRule = Exclude<AlertRules['budget'], false>;
type Budget = Pick<BudgetLimit, 'scope' | 'subject' | 'id' | 'windowMs'>;
type Level = { budget: Budget; mandate: string; spentMicros: number; maxMicros: number };

/** The facts in an alert about a budget. The rule reads them again when an operator adjusts the budget. */
const budgetFacts = z.object({
  percent: z.int(),
  spentMicros: z.int(),
  maxMicros: z.int(),
  scope: z.string(),
  subject: z.string(),
  budget: z.string(),
  windowMs: z.int().nullable(),
  mandate: z.string(),
});

/** The fields of a `budget` check's evidence that this rule needs. */
const weighed = z.object({
  scope: z.enum(['agent', 'principal', 'mandate', 'tenant']),
  id: z.string(),
  windowMs: z.int().nullable(),
  spentMicros: z.int(),
  maxMicros: z.int().nullable(),
});

/** @param alarms the known alarms; a budget with room is a finding only if it may clear a known alarm */
export function budgetsOf(decision: Decision, rule: BudgetRule, alarms: Alarms): Finding[] {
  const { tenant, agentId, action, decidedAt: at, ledgerSequence: order } = decision;
  const mandateId = decision.mandate?.id ?? '';
  const of = { agentId, principalId: action.principal?.id ?? '', mandateId };
  return decision.checks.flatMap((check) => {
    if (check.check !== 'budget') return [];
    const read = weighed.safeParse(check.evidence);
    // A limit of 0 has no percentages, so a budget with this limit cannot reach a threshold.
    if (!read.success || read.data.maxMicros === null || read.data.maxMicros === 0) return [];
    const { scope, id, windowMs, spentMicros, maxMicros } = read.data;
    const mandate = mandateOfBudget(check, mandateId);
    const budget = { scope, subject: budgetSubject(scope, check, of), id, windowMs };
    const level = { budget, mandate, spentMicros: sumMicros(spentMicros, decision.chargedMicros), maxMicros };
    const isKnown = (subject: string) => alarms.get('budget', tenant, subject) !== undefined;
    return findings(level, rule, isKnown).map((finding) => ({
      ...finding,
      tenant,
      order,
      at,
      facts: { ...finding.facts, agentId },
    }));
  });
}

/**
 * Returns findings after an operator gave money back to a budget, or charged it. The record does not say which limits
 * apply to the budget. So only known alarms are checked, each with its last known limit.
 */
export function adjusted({ adjustment }: BudgetAdjusted, rule: BudgetRule, alarms: Alarms): Finding[] {
  const { tenant, budget, spentMicros, at, ledgerSequence: order } = adjustment;
  if (spentMicros === undefined) return [];
  const { scope, subject, id, windowMs } = budget;
  return [...alarms.of('budget')].flatMap(({ tenant: whose, facts }) => {
    const known = budgetFacts.parse(facts);
    const isOfIt =
      whose === tenant &&
      known.scope === scope &&
      known.subject === subject &&
      known.budget === id &&
      known.windowMs === windowMs;
    if (!isOfIt || !rule.percent.includes(known.percent)) return [];
    const level = { budget, mandate: known.mandate, spentMicros, maxMicros: known.maxMicros };
    return findings(level, { ...rule, percent: [known.percent] }, () => true).map((finding) => ({
      ...finding,
      tenant,
      order,
      at,
    }));
  });
}

function findings(
  { budget, mandate, spentMicros, maxMicros }: Level,
  { percent: thresholds, rearmPoints }: BudgetRule,
  isKnown: (subject: string) => boolean,
) {
  return thresholds.flatMap((percent): Omit<Finding, 'tenant' | 'order' | 'at'>[] => {
    const isReached = reaches(spentMicros, maxMicros, percent);
    // Just below the threshold, the alarm keeps its state. So a budget that stays near the threshold is reported
    // once.
    if (!isReached && reaches(spentMicros, maxMicros, Math.max(percent - rearmPoints, 1))) return [];
    const about = subjectOf(budget, mandate, percent);
    if (!isReached && !isKnown(about)) return [];
    const { scope, subject, id, windowMs } = budget;
    const whose = subject === '' ? '' : ` of ${subject}`;
    const amounts = `${formatMicros(spentMicros)} of ${formatMicros(maxMicros)}`;
    const message = `The ${scope} budget "${id}"${whose} ${isReached ? `has reached ${percent} %` : 'has room again'}: ${amounts} are spent.`;
    const facts = { percent, spentMicros, maxMicros, scope, subject, budget: id, windowMs, mandate };
    return [{ rule: 'budget', subject: about, holds: isReached, message, facts }];
  });
}

/**
 * The subject names the mandate, because mandates or policies with a common counter may each set another limit. Ids
 * contain no spaces, so subjects are unique.
 */
function subjectOf({ scope, subject, id, windowMs }: Budget, mandate: string, percent: number): string {
  return [scope, subject, id, windowMs ?? 'lifetime', mandate, percent].join(' ');
}
