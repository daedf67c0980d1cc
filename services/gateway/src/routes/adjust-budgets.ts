/** POST /v1/budgets/adjust: adds to the spent amount of a budget, or gives money back. */

import { BUDGET_SCOPES, count, described, dollarsToMicros, id, microsDelta } from '@mandate/schemas';
import { callerOf, forbidden, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { adjustBudget } from '../commands/adjust-budget.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import type { Gateway } from '../gateway.ts';
import { reason } from './command-shapes.ts';

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
    reason: described(
      reason,
      'Why the budget is corrected. The record always keeps it.',
      'spent outside of Mandate',
    ),
  })
  .refine(({ deltaMicros, deltaDollars }) => (deltaMicros === undefined) !== (deltaDollars === undefined), {
    error: 'give either deltaMicros or deltaDollars',
  })
  .meta({
    examples: [
      {
        budget: { scope: 'agent', subject: 'airline-007', id: 'total' },
        deltaDollars: -2.5,
        reason: 'the customer paid it back',
      },
    ],
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
        body,
        response: {
          200: z.object({
            commandId: described(z.string(), 'The id of the command on the log.', 'adj_2'),
            tenant: described(
              z.string(),
              'The tenant of the budget, which is the tenant of the key.',
              'default',
            ),
            epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
            sequence: described(count, 'The number of the step within the tenant.', 424),
            atMs: described(count, 'When the ledger corrected it, in epoch milliseconds.', 1_767_605_490_000),
            deltaMicros: described(
              z.int(),
              'What was added to the spent amount, in micro-dollars. Negative: it was given back.',
              -2_500_000,
            ),
            spentMicros: described(
              z.int(),
              'What the budget has spent after the correction, in micro-dollars. It can be negative.',
              5_240_000,
            ),
          }),
        },
      },
    },
    async (request) => {
      const { tenant, scopes } = callerOf(request);
      const { budget, reason } = request.body;
      const deltaMicros = deltaOf(request.body);
      const isOfTenantLimits = gateway.isOfTenantLimits(tenant, budget);
      if (isOfTenantLimits && deltaMicros < 0 && !scopes.includes('operate:limits'))
        throw budgetOfTenantLimits();
      if (!isOfTenantLimits && !scopes.includes('operate')) throw forbidden(['operate']);
      const parts = [budget, deltaMicros];
      const command = operatorCommand(request, gateway, { prefix: 'adj', parts, reason });
      const receipt = await adjustBudget(gateway, { tenant, budget, deltaMicros }, command);
      return { commandId: command.id, tenant, deltaMicros, ...receipt };
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

function deltaOf({ deltaMicros, deltaDollars = 0 }: z.output<typeof body>): number {
  return deltaMicros ?? Math.sign(deltaDollars) * (dollarsToMicros(Math.abs(deltaDollars)) ?? 0);
}
