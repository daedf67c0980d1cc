/**
 * The rule for a budget, or for a limit in another unit, that has reached a certain percentage of its limit, exactly. The rule uses
 * the state of the ledger at a decision. So spending by an outcome counts at the next decision. Another rule reports
 * an outcome that overdraws a budget.
 */
import {
  type BudgetAdjusted,
  type BudgetLimit,
  budgetSubject,
  COUNTER_UNITS,
  type CounterUnit,
  type Decision,
  formatMicros,
  mandateOfBudget,
  sumMicros,
  UNIT_NAMES,
  unitOfCheck,
} from '@mandate/schemas';
import { z } from 'zod';
import type { Alarms } from './alarms.ts';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';
import { reaches } from './windowed-shares.ts';

type BudgetRule = Exclude<AlertRules['budget'], false>;
type Unit = 'micros' | CounterUnit;
type Budget = Pick<BudgetLimit, 'scope' | 'subject' | 'id' | 'windowMs'>;
/** `spent` and `most` are in the unit of the counter. */
type Level = { budget: Budget; mandate: string; unit: Unit; spent: number; most: number };

const shared = {
  percent: z.int(),
  scope: z.string(),
  subject: z.string(),
  budget: z.string(),
  windowMs: z.int().nullable(),
  mandate: z.string(),
};
/** The facts in an alert about a budget. The rule reads them again when an operator adjusts the budget. */
const budgetFacts = z.union([
  z
    .object({ ...shared, spentMicros: z.int(), maxMicros: z.int() })
    .transform(({ maxMicros, ...facts }) => ({ ...facts, unit: 'micros' as const, most: maxMicros })),
  z.object({ ...shared, unit: z.enum(COUNTER_UNITS), used: z.int(), most: z.int() }),
]);

const weighed = {
  scope: z.enum(['agent', 'principal', 'mandate', 'tenant']),
  id: z.string(),
  windowMs: z.int().nullable(),
};
/** The fields of the evidence that this rule needs, of a check of money and of a check in another unit. */
const WEIGHED = {
  micros: z
    .object({ ...weighed, spentMicros: z.int(), maxMicros: z.int().nullable() })
    .transform(({ spentMicros, maxMicros, ...of }) => ({ ...of, held: spentMicros, most: maxMicros })),
  unit: z
    .object({ ...weighed, used: z.int(), most: z.int() })
    .transform(({ used, ...of }) => ({ ...of, held: used })),
};

/** @param alarms the known alarms; a budget with room is a finding only if it may clear a known alarm */
export function budgetsOf(decision: Decision, rule: BudgetRule, alarms: Alarms): Finding[] {
  const { tenant, agentId, action, decidedAt: at, ledgerSequence: order } = decision;
  const mandateId = decision.mandate?.id ?? '';
  const of = { agentId, principalId: action.principal?.id ?? '', mandateId };
  return decision.checks.flatMap((check) => {
    const unit = check.check === 'budget' ? 'micros' : unitOfCheck(check.check);
    if (unit === undefined) return [];
    const { data: read } = WEIGHED[unit === 'micros' ? 'micros' : 'unit'].safeParse(check.evidence);
    // A limit of 0 has no percentages, so a budget with this limit cannot reach a threshold.
    if (read === undefined || read.most === null || read.most === 0) return [];
    const { scope, id, windowMs, held, most } = read;
    const mandate = mandateOfBudget(check, mandateId);
    const budget = { scope, subject: budgetSubject(scope, check, of), id, windowMs };
    const { chargedMicros, reservation } = decision;
    const charged = unit === 'micros' ? chargedMicros : (reservation?.units?.[unit]?.reserved ?? 0);
    const level: Level = { budget, mandate, unit, spent: sumMicros(held, charged), most };
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
 * Returns findings after an operator corrected a budget. The record does not say which limits apply to the budget. So
 * only known alarms are checked, each with its last known limit.
 */
export function adjusted({ adjustment }: BudgetAdjusted, rule: BudgetRule, alarms: Alarms): Finding[] {
  const { tenant, budget, spentMicros, used, at, ledgerSequence: order } = adjustment;
  const { scope, subject, id, windowMs } = budget;
  const unit: Unit = budget.unit ?? 'micros';
  const spent = (unit === 'micros' ? spentMicros : used) ?? 0;
  return [...alarms.of('budget')].flatMap(({ tenant: whose, facts }) => {
    const known = budgetFacts.parse(facts);
    const isOfIt =
      whose === tenant &&
      known.unit === unit &&
      known.scope === scope &&
      known.subject === subject &&
      known.budget === id &&
      known.windowMs === windowMs;
    if (!isOfIt || !rule.percent.includes(known.percent)) return [];
    const level: Level = { budget, mandate: known.mandate, unit, spent, most: known.most };
    return findings(level, { ...rule, percent: [known.percent] }, () => true).map((finding) => ({
      ...finding,
      tenant,
      order,
      at,
    }));
  });
}

function findings(
  level: Level,
  { percent: thresholds, rearmPoints }: BudgetRule,
  isKnown: (subject: string) => boolean,
) {
  const { budget, mandate, unit, spent, most } = level;
  return thresholds.flatMap((percent): Omit<Finding, 'tenant' | 'order' | 'at'>[] => {
    const isReached = reaches(spent, most, percent);
    // Just below the threshold, the alarm keeps its state. So a budget that stays near the threshold is reported
    // once.
    if (!isReached && reaches(spent, most, Math.max(percent - rearmPoints, 1))) return [];
    const about = subjectOf(level, percent);
    if (!isReached && !isKnown(about)) return [];
    const { scope, subject, id, windowMs } = budget;
    const whose = subject === '' ? '' : ` of ${subject}`;
    const what = `The ${scope} ${unit === 'micros' ? 'budget' : 'limit'} "${id}"${whose}`;
    const message = `${what} ${isReached ? `has reached ${percent} %` : 'has room again'}: ${amountsOf(level)}.`;
    const amounts = unit === 'micros' ? { spentMicros: spent, maxMicros: most } : { unit, used: spent, most };
    const facts = { percent, ...amounts, scope, subject, budget: id, windowMs, mandate };
    return [{ rule: 'budget', subject: about, holds: isReached, message, facts }];
  });
}

function amountsOf({ unit, spent, most }: Level): string {
  if (unit === 'micros') return `${formatMicros(spent)} of ${formatMicros(most)} are spent`;
  return `${spent} of ${most} ${UNIT_NAMES[unit].noun} are used`;
}

/**
 * The subject names the mandate, because mandates or policies with a common counter may each set another limit. Ids
 * contain no spaces, so subjects are unique.
 */
function subjectOf({ budget, mandate, unit }: Level, percent: number): string {
  const { scope, subject, id, windowMs } = budget;
  const parts = [scope, subject, id, windowMs ?? 'lifetime', mandate, percent];
  return [...parts, ...(unit === 'micros' ? [] : [unit])].join(' ');
}
