/** The limits of a decision, from its checks: each budget and rate with a limit, and how much of it is used. */
import { BUDGET_SCOPES, budgetSubject, type Check, type Decision, sumMicros } from '@mandate/schemas';
import { z } from 'zod';

export const limitColumn = z.strictObject({
  kind: z.enum(['budget', 'rate']),
  /** The scope of a budget. For a rate, `principal`, or empty text for the rate of an agent. */
  scope: z.string(),
  /** The subject of the budget. For a rate, the agent of the calls, or the person. */
  subject: z.string(),
  /** The id of a budget. For a rate, its tool, or empty text for a rate of all calls. */
  id: z.string(),
  /** The length of the window in milliseconds. 0 if there is no window. */
  window_ms: z.int().min(0),
  /** The amount that is used after the decision, in micro-dollars or calls. */
  used: z.int(),
  most: z.int().min(0),
});
export type LimitColumn = z.input<typeof limitColumn>;

const seenOfBudget = z.object({
  scope: z.enum(BUDGET_SCOPES),
  id: z.string(),
  windowMs: z.int().nullable(),
  spentMicros: z.int(),
  maxMicros: z.int(),
});

const seenOfRate = z.object({
  scope: z.literal('principal').optional(),
  calls: z.int(),
  maxCalls: z.int(),
  windowMs: z.int(),
});

/**
 * Returns the limits of a decision. Leaves out checks that were skipped, that have no limit, or that this version
 * does not know.
 */
export function limitsWeighed(decision: Decision): LimitColumn[] {
  return decision.checks.flatMap((check) => budgetIn(check, decision) ?? rateIn(check, decision) ?? []);
}

function budgetIn(check: Check, decision: Decision): LimitColumn | null {
  if (check.check !== 'budget') return null;
  const read = seenOfBudget.safeParse(check.evidence);
  if (!read.success) return null;
  const { scope, id, windowMs, spentMicros, maxMicros } = read.data;
  return {
    kind: 'budget',
    scope,
    subject: subjectOf(scope, check, decision),
    id,
    window_ms: windowMs ?? 0,
    used: sumMicros(spentMicros, decision.chargedMicros),
    most: maxMicros,
  };
}

function subjectOf(
  scope: (typeof BUDGET_SCOPES)[number],
  check: Check,
  { agentId, action, mandate }: Decision,
): string {
  const principalId = action.principal?.id ?? '';
  return budgetSubject(scope, check, { agentId, principalId, mandateId: mandate?.id ?? '' });
}

function rateIn(
  { check, evidence, ancestor }: Check,
  { agentId, tool, verdict, action }: Decision,
): LimitColumn | null {
  if (check !== 'tool-rate' && check !== 'mandate-rate') return null;
  const read = seenOfRate.safeParse(evidence);
  if (!read.success) return null;
  const { calls, maxCalls, windowMs, scope } = read.data;
  return {
    kind: 'rate',
    scope: scope ?? '',
    subject: scope === 'principal' ? (action.principal?.id ?? '') : (ancestor ?? agentId),
    id: check === 'tool-rate' ? (tool ?? '') : '',
    window_ms: windowMs,
    used: calls + (verdict === 'ALLOW' ? 1 : 0),
    most: maxCalls,
  };
}
