/** What a decision was weighed against, as its checks tell it: each budget and rate with a limit, and how much is used. */
import { BUDGET_SCOPES, budgetSubject, type Check, type Decision, sumMicros } from '@mandate/schemas';
import { z } from 'zod';

export const limitColumn = z.strictObject({
  kind: z.enum(['budget', 'rate']),
  /** The scope of a budget; empty for a rate. */
  scope: z.string(),
  /** The subject of the budget, or the agent of the calls. */
  subject: z.string(),
  /** The id of a budget; the tool of a rate, empty for all calls. */
  id: z.string(),
  /** 0: without a window. */
  window_ms: z.int().min(0),
  /** Once the decision had fallen: in micro-dollars, or calls. */
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

const seenOfRate = z.object({ calls: z.int(), maxCalls: z.int(), windowMs: z.int() });

/** Checks that skipped, counted without a limit, or say something that this version does not know, weigh nothing. */
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
  { check, evidence, holder }: Check,
  { agentId, tool, verdict }: Decision,
): LimitColumn | null {
  if (check !== 'tool-rate' && check !== 'mandate-rate') return null;
  const read = seenOfRate.safeParse(evidence);
  if (!read.success) return null;
  const { calls, maxCalls, windowMs } = read.data;
  return {
    kind: 'rate',
    scope: '',
    subject: holder ?? agentId,
    id: check === 'tool-rate' ? (tool ?? '') : '',
    window_ms: windowMs,
    used: calls + (verdict === 'ALLOW' ? 1 : 0),
    most: maxCalls,
  };
}
