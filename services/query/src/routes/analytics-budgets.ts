/** GET /v1/audit/analytics/budgets: what is left of each budget, and when it will be exhausted. */
import { type BudgetRow, budgets, outlookOf } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { BUDGET_SCOPES, described, END_OF_TIME_MS, time, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { budgetName } from '../budget-name.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';
import { asOf } from './analytics-parameters.ts';

const DAY_MS = 86_400_000;

const parameters = (clock: Clock) => ({
  scope: described(z.enum(BUDGET_SCOPES).optional(), 'Only budgets with this scope.', 'agent'),
  subject: described(
    z.string().max(256).optional(),
    'Only budgets of this agent, principal or mandate. Empty: budgets of the tenant.',
    'airline-007',
  ),
  budget: described(z.string().max(256).optional(), 'Only budgets with this id.', 'total'),
  from: described(
    period(clock).from,
    'The beginning of the period of `burnedMicros`, which is included. Default: a day before `to`.',
    '24h',
  ),
  to: described(
    period(clock).to,
    'The end of the period, which is not included. Default: now.',
    '2026-02-01',
  ),
  limit,
});

const budget = z.object({
  ...budgetName,
  limitMicros: described(
    microsField.nullable(),
    'The limit that the latest decision saw, in micro-dollars. null: no decision looked at a limit.',
    10_000_000,
  ),
  limit: described(dollarsField.optional(), 'The limit in dollars. Absent if there is no limit.', '$10.00'),
  limitSeenAt: described(
    time.nullable(),
    'When that decision was made. null: no decision looked at a limit.',
  ),
  spentMicros: described(
    microsField,
    'What was charged, settled and adjusted, in micro-dollars. With a window: in the last `windowMs`.',
    340_000,
  ),
  spent: dollarsField,
  leftMicros: described(
    microsField.nullable(),
    'What is left, in micro-dollars. Negative: the budget is overdrawn. null: no limit.',
    9_660_000,
  ),
  left: described(
    dollarsField.optional(),
    'The remaining amount in dollars. Absent if there is no limit.',
    '$9.66',
  ),
  usedPercent: described(
    z.number().nullable(),
    'How much of the limit is used, in percent, rounded down to a tenth. null: no limit.',
    3.4,
  ),
  burnedMicros: described(
    microsField,
    'What was charged and settled in the period, without adjustments, in micro-dollars.',
    310_000,
  ),
  burned: dollarsField,
  exhaustedAt: described(
    time.nullable(),
    'When nothing is left if spending goes on as in the period. A budget with a window may last longer, because charges leave the window. `asOf`: nothing is left now. null: it does not run out.',
  ),
});

export type BudgetFound = z.output<typeof budget>;

export const analyticsBudgets: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/budgets',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary:
          'Show what is left of each budget, how fast it is spent and when it is exhausted; the fullest first',
        description:
          'The list has every budget that a recorded decision was checked against or charged to. Once all decisions are ' +
          'recorded, the spent amount of a budget without a window equals its counter in the ledger.',
        querystring: queryParameters(parameters(clock)),
        response: {
          200: z.object({
            asOf,
            period: described(
              z.object({
                from: described(time, 'The beginning of the period, which is included.'),
                to: described(time, 'The end of the period, which is not included.'),
              }),
              'The period that `burnedMicros` counts.',
            ),
            budgets: described(z.array(budget), 'The budgets, the most used first.'),
          }),
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
    // A time that is too late for a date is shown as null, like a budget that is never exhausted.
    exhaustedAt: exhaustedAtMs === null || exhaustedAtMs > END_OF_TIME_MS ? null : wireTime(exhaustedAtMs),
  });
}
