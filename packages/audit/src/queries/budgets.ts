/**
 * Every budget that decisions were checked against or charged to: its limit at the last decision, its spent amount,
 * and the amount spent in a period. The fullest budgets come first, and budgets without a limit last.
 *
 * For a budget without a window, the amount spent is its counter (`chargesByBudget`). For a budget with a window, it
 * is the sum of charges, settlements and adjustments in the last `windowMs` before `asOfMs`. The ledger frees in
 * steps of a thousandth of the window, so it may hold a charge for that much longer.
 */
import { BUDGET_SCOPES, sumMicros, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { budgetBookings } from './budget-bookings.ts';
import { decisionFilter } from './decision-filter.ts';
import { summedMicros } from './summed-micros.ts';

const moment = decisionFilter.shape.fromMs.unwrap();

export const budgets = question({
  params: z.strictObject({
    tenant: decisionFilter.shape.tenant,
    scope: z.enum(BUDGET_SCOPES).optional(),
    subject: z.string().optional(),
    budgetId: z.string().optional(),
    asOfMs: moment,
    /** The start and end of the period of `burnedMicros`, in epoch milliseconds. */
    fromMs: moment,
    toMs: moment,
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    scope: z.enum(BUDGET_SCOPES),
    subject: z.string(),
    budgetId: z.string(),
    windowMs: z.int().transform((ms) => (ms === 0 ? null : ms)),
    /** The limit of the budget. Null if no decision was checked against a limit of this budget. */
    limitMicros: z.int().nullable(),
    limitSeenAt: time.nullable(),
    spentMicros: summedMicros,
    /** The amount that was charged and settled in the period. Adjustments by operators are not included. */
    burnedMicros: summedMicros,
  }),
  sql: ({ scope, subject, budgetId }) => `
    SELECT scope, subject, budgetId, windowMs,
      sumIf(charges + settles + adjusts, windowMs = 0 OR toUnixTimestamp64Milli(held_from) > {asOfMs:Int64} - windowMs)
        AS spentMicros,
      sumIf(charges + settles, ${WITHIN}) AS burnedMicros,
      argMax(most, (seen_at, seen_in)) AS limitMicros, max(seen_at) AS limitSeenAt
    FROM (
      SELECT *, NULL AS most, NULL AS seen_at, '' AS seen_in FROM ${budgetBookings()}
      UNION ALL
      SELECT toString(one.scope), one.subject, one.id, one.window_ms, decided_at, decided_at,
        toInt128(0), toInt128(0), toInt128(0), one.most, decided_at, id
      FROM (
        SELECT id, decided_at, limits FROM decisions FINAL
        WHERE tenant = {tenant:String} AND NOT void AND notEmpty(limits)
      ) ARRAY JOIN limits AS one
      WHERE one.kind = 'budget'
    )
    WHERE true${narrowed({ scope, subject, budgetId }, NAMED)}
    GROUP BY scope, subject, budgetId, windowMs
    ORDER BY if(limitMicros = 0, 1, toFloat64(spentMicros) / limitMicros) DESC NULLS LAST,
      scope, subject, budgetId, windowMs
    LIMIT {limit:UInt32}`,
});

const WITHIN = `booked_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
        AND booked_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

const NAMED = {
  scope: 'scope = {scope:String}',
  subject: 'subject = {subject:String}',
  budgetId: 'budgetId = {budgetId:String}',
};

export type BudgetRow = z.output<typeof budgets.row>;

/**
 * Returns the amount that remains, and how long this amount lasts if spending continues at the rate of the period.
 */
export function outlookOf(
  { limitMicros, spentMicros, burnedMicros, windowMs }: BudgetRow,
  { asOfMs, periodMs }: { asOfMs: number; periodMs: number },
): { leftMicros: number | null; usedPercent: number | null; exhaustedAtMs: number | null } {
  if (limitMicros === null) return { leftMicros: null, usedPercent: null, exhaustedAtMs: null };
  const leftMicros = sumMicros(limitMicros, -spentMicros);
  const usedPercent = limitMicros === 0 ? 100 : Math.floor((spentMicros / limitMicros) * 1_000) / 10;
  return { leftMicros, usedPercent, exhaustedAtMs: exhaustedAtMs() };

  function exhaustedAtMs(): number | null {
    if (leftMicros <= 0) return asOfMs;
    if (burnedMicros <= 0) return null;
    // The amount that the window contains when it frees as much as is spent at this rate. The window never contains
    // more.
    const heldMost = windowMs === null ? Number.POSITIVE_INFINITY : (burnedMicros / periodMs) * windowMs;
    if (windowMs !== null && limitMicros !== null && heldMost <= limitMicros) return null;
    return asOfMs + Math.ceil((leftMicros / burnedMicros) * periodMs);
  }
}
