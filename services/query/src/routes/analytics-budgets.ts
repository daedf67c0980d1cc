/** GET /v1/audit/analytics/budgets: what is left of each budget, and how long it will last. */
import { type BudgetRow, budgets, outlookOf } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { BUDGET_SCOPES, END_OF_TIME_MS, time, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';
import { asOf } from './analytics-parameters.ts';

const DAY_MS = 86_400_000;

const parameters = (clock: Clock) => ({
  scope: z.enum(BUDGET_SCOPES).optional().describe('Who shares the budget.'),
  subject: z
    .string()
    .max(256)
    .optional()
    .describe('Whose: an agent, a principal, a mandate; empty for the tenant.'),
  budget: z.string().max(256).optional().describe("The budget's id."),
  from: period(clock).from.describe('Where the period of the burn rate begins. Default a day before `to`.'),
  to: period(clock).to.describe('Where it ends. Default now.'),
  limit,
});

const budget = z.object({
  scope: z.enum(BUDGET_SCOPES),
  subject: z.string().describe('Whose: an agent, a principal, a mandate; empty for the tenant.'),
  budgetId: z.string(),
  windowMs: z.int().nullable().describe('Null: for ever.'),
  limitMicros: microsField
    .nullable()
    .describe('As the last decision saw it; null where none was weighed against a limit.'),
  limit: dollarsField.optional(),
  limitSeenAt: time.nullable().describe('When that decision was made.'),
  spentMicros: microsField.describe(
    'Charged, settled and adjusted: of a budget for ever all of it; with a window what was decided or adjusted in the last `windowMs`.',
  ),
  spent: dollarsField,
  leftMicros: microsField.nullable().describe('Less than 0 when overdrawn; null without a limit.'),
  left: dollarsField.optional(),
  usedPercent: z.number().nullable().describe('Rounded down to a tenth; null without a limit.'),
  burnedMicros: microsField.describe('Charged and settled in the period, adjustments left out.'),
  burned: dollarsField,
  exhaustedAt: time
    .nullable()
    .describe(
      'When nothing is left, spending as in the period: of a budget with a window at the earliest, as it frees meanwhile what leaves the window. `asOf` when nothing is left already; null when it never comes to that.',
    ),
});

export const analyticsBudgets: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/budgets',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'What is left of each budget, how fast it burns and when it is exhausted; the fullest first',
        description:
          'Budgets that decisions on record were weighed against or charged to. What is spent of a budget for ever is what its counter holds, once everything decided is on record.',
        querystring: queryParameters(parameters(clock)),
        response: {
          200: z.object({ asOf, period: z.object({ from: time, to: time }), budgets: z.array(budget) }),
        },
      },
    },
    async (request) => {
      const { scope, subject, budget: budgetId, limit, ...given } = request.query;
      const asOfMs = clock();
      const toMs = given.to ?? asOfMs;
      const fromMs = given.from ?? Math.max(0, toMs - DAY_MS);
      if (fromMs >= toMs) {
        throw new HttpProblem(400, 'VALIDATION_FAILED', 'the period of the burn rate is empty', {
          remedy: 'Give a period that begins before it ends.',
        });
      }
      const { tenant } = callerOf(request);
      const rows = await ask(askerOf(request), budgets, {
        tenant,
        scope,
        subject,
        budgetId,
        asOfMs,
        fromMs,
        toMs,
        limit,
      });
      return {
        asOf: wireTime(asOfMs),
        period: { from: wireTime(fromMs), to: wireTime(toMs) },
        budgets: rows.map((row) => shown(row, { asOfMs, periodMs: toMs - fromMs })),
      };
    },
  );
};

function shown(row: BudgetRow, when: { asOfMs: number; periodMs: number }): z.output<typeof budget> {
  const { exhaustedAtMs, ...outlook } = outlookOf(row, when);
  return withDollars({
    ...row,
    ...outlook,
    // A time that is too late to be written counts as never.
    exhaustedAt: exhaustedAtMs === null || exhaustedAtMs > END_OF_TIME_MS ? null : wireTime(exhaustedAtMs),
  });
}
