/** POST /v1/budgets/adjust: adds to the spent amount of a budget, or of a limit in another unit, or gives back. */

import {
  BUDGET_SCOPES,
  COUNTER_UNITS,
  count,
  described,
  dollarsToMicros,
  id,
  microsDelta,
} from '@mandate/schemas';
import { callerOf, forbidden, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { adjustBudget, tryAdjustment } from '../commands/adjust-budget.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import type { Gateway } from '../gateway.ts';
import { dryRunQuery, isDryRun, reason } from './command-shapes.ts';

const budget = z
  .strictObject({
    scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
    subject: described(
      z.union([id, z.literal('')]).default(''),
      'The agent, principal or mandate of the budget. Empty for a budget of the tenant.',
      'airline-007',
    ),
    id: described(id, 'The id of the budget. `total`: the lifetime spending of an agent.', 'total'),
    windowMs: described(
      count.nullable().default(null),
      'The length of the window of the budget, in milliseconds. null: the budget never resets.',
      86_400_000,
    ),
    unit: described(
      z.enum(COUNTER_UNITS).exactOptional(),
      'The counter of a limit on tokens, or on the tool calls of answers. Default: a budget of money.',
    ),
  })
  .refine(({ scope, subject }) => (scope === 'tenant') === (subject === ''), {
    path: ['subject'],
    error:
      'must name the agent, principal or mandate of the budget, and must be empty for a budget of the tenant',
  });

const body = z
  .strictObject({
    budget: described(budget, 'The budget to correct.'),
    deltaMicros: described(
      microsDelta.optional(),
      'What to add to the spent amount, in micro-dollars. Negative: give back. Give this or `deltaDollars`.',
      -2_500_000,
    ),
    deltaDollars: described(
      z
        .number()
        .refine((amount) => dollarsToMicros(Math.abs(amount)) !== null, {
          error: 'must be an amount in dollars with at most six decimals',
        })
        .optional(),
      'What to add to the spent amount, in dollars. Negative: give back. Give this or `deltaMicros`.',
      -2.5,
    ),
    delta: described(
      microsDelta.optional(),
      'What to add to the counter, in the unit of the budget. Negative: give back. Only for a budget with a unit.',
      -50_000,
    ),
    reason: described(
      reason,
      'Why the budget is corrected. The record always keeps it.',
      'spent outside of Mandate',
    ),
  })
  .refine(
    ({ budget: { unit }, deltaMicros, deltaDollars, delta }) => {
      const given = [deltaMicros, deltaDollars, delta].filter((one) => one !== undefined);
      return given.length === 1 && (unit !== undefined) === (delta !== undefined);
    },
    { error: 'give one of deltaMicros and deltaDollars, or delta for a budget with a unit' },
  )
  .meta({
    examples: [
      {
        budget: { scope: 'agent', subject: 'airline-007', id: 'total' },
        deltaDollars: -2.5,
        reason: 'the customer paid it back',
      },
    ],
  });

const adjusted = z.object({
  commandId: described(z.string(), 'The id of the command on the log.', 'adj_2'),
  tenant: described(z.string(), 'The tenant of the budget, which is the tenant of the key.', 'default'),
  epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
  sequence: described(count, 'The number of the step within the tenant.', 424),
  atMs: described(count, 'When the ledger corrected it, in epoch milliseconds.', 1_767_605_490_000),
  deltaMicros: described(
    z.int().optional(),
    'What was added to the spent amount, in micro-dollars. Negative: it was given back. Absent for a budget with a unit.',
    -2_500_000,
  ),
  spentMicros: described(
    z.int().optional(),
    'What the budget has spent after the correction, in micro-dollars. It can be negative. Absent for a budget with a unit.',
    5_240_000,
  ),
  delta: described(
    z.int().optional(),
    'What was added to the counter, in its unit. Negative: it was given back. Absent for money.',
    -50_000,
  ),
  used: described(
    z.int().optional(),
    'What the counter has after the correction, in its unit. It can be negative. Absent for money.',
    12_000,
  ),
});

const wouldAdjust = z.object({
  dryRun: isDryRun,
  tenant: described(z.string(), 'The tenant of the budget, which is the tenant of the key.', 'default'),
  before: described(z.int(), 'What the budget has spent now, in micro-dollars or in its unit.', 7_740_000),
  after: described(z.int(), 'What it would have spent, in the same unit. It can be negative.', 5_240_000),
});

export function adjustBudgets(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/budgets/adjust',
    {
      config: { counted: 'changes', scope: ['operate', 'operate:limits'] },
      schema: {
        tags: ['budgets'],
        summary: 'Correct what a budget has spent',
        description:
          'The correction takes effect at once. Send an Idempotency-Key, so that a repeated request counts once. To give ' +
          'money back to a budget of the tenant limits, the key needs the scope `operate:limits`. A key with only this ' +
          'scope cannot correct other budgets.',
        querystring: dryRunQuery,
        body,
        response: {
          200: z.union([wouldAdjust, adjusted]),
        },
      },
    },
    async (request) => {
      const { tenant, scopes } = callerOf(request);
      const { budget, reason } = request.body;
      const delta = deltaOf(request.body);
      const isOfTenantLimits = gateway.isOfTenantLimits(tenant, budget);
      if (isOfTenantLimits && delta < 0 && !scopes.includes('operate:limits')) throw budgetOfTenantLimits();
      if (!isOfTenantLimits && !scopes.includes('operate')) throw forbidden(['operate']);
      if (request.query.dryRun) {
        const { before, spent: after } = await tryAdjustment(gateway, { tenant, budget, delta });
        return { dryRun: true as const, tenant, before, after };
      }
      const parts = [budget, delta];
      const command = operatorCommand(request, gateway, { prefix: 'adj', parts, reason });
      const { spent, ...receipt } = await adjustBudget(gateway, { tenant, budget, delta }, command);
      const amounts =
        budget.unit === undefined ? { deltaMicros: delta, spentMicros: spent } : { delta, used: spent };
      return { commandId: command.id, tenant, ...receipt, ...amounts };
    },
  );
}

function budgetOfTenantLimits(): HttpProblem {
  return new HttpProblem(403, 'BUDGET_OF_TENANT_LIMITS', 'this budget belongs to the tenant limits', {
    remedy:
      'Ask an operator of the plane to give the money back, or to widen the tenant limits. Giving back needs a key ' +
      'of this tenant with the scope operate:limits.',
  });
}

function deltaOf({ deltaMicros, deltaDollars = 0, delta }: z.output<typeof body>): number {
  return delta ?? deltaMicros ?? Math.sign(deltaDollars) * (dollarsToMicros(Math.abs(deltaDollars)) ?? 0);
}
