/** POST /v1/budgets/adjust: adds to what is counted as spent, or gives back. */

import { BUDGET_SCOPES, count, dollarsToMicros, id, microsDelta } from '@mandate/schemas';
import { callerOf, forbidden, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { adjustBudget } from '../commands/adjust-budget.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import type { Gateway } from '../gateway.ts';
import { reason } from './command-shapes.ts';

const budget = z
  .strictObject({
    scope: z.enum(BUDGET_SCOPES),
    subject: z
      .union([id, z.literal('')])
      .default('')
      .describe('The agent, principal or mandate; empty for a tenant.'),
    id: id.describe('`total` is the lifetime spend of an agent.'),
    windowMs: count.nullable().default(null),
  })
  .refine(({ scope, subject }) => (scope === 'tenant') === (subject === ''), {
    path: ['subject'],
    error: 'names whose budget it is, and is empty for a tenant alone',
  });

const body = z
  .strictObject({
    budget,
    deltaMicros: microsDelta.optional().describe('Added to what is spent; negative gives back.'),
    deltaDollars: z
      .number()
      .refine((amount) => dollarsToMicros(Math.abs(amount)) !== null, {
        error: 'must be an amount in dollars with at most six decimals',
      })
      .optional(),
    reason,
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
          'Takes effect at once. Send an Idempotency-Key, so that a repeat counts once. What the bounds of the tenant count is given back with the scope `operate:limits` alone, which adjusts nothing else.',
        body,
        response: {
          200: z.object({
            commandId: z.string(),
            tenant: z.string().describe('Whose counter it was: that of the key.'),
            epoch: z.string(),
            sequence: count,
            atMs: count,
            deltaMicros: z.int(),
            spentMicros: z.int(),
          }),
        },
      },
    },
    async (request) => {
      const { tenant, scopes } = callerOf(request);
      const { budget, reason } = request.body;
      const deltaMicros = deltaOf(request.body);
      const ofBounds = gateway.isOfBounds(tenant, budget);
      if (ofBounds && deltaMicros < 0 && !scopes.includes('operate:limits')) throw budgetOfBounds();
      if (!ofBounds && !scopes.includes('operate')) throw forbidden(['operate']);
      const parts = [budget, deltaMicros];
      const command = operatorCommand(request, gateway, { prefix: 'adj', parts, reason });
      const receipt = await adjustBudget(gateway, { tenant, budget, deltaMicros }, command);
      return { commandId: command.id, tenant, deltaMicros, ...receipt };
    },
  );
}

function budgetOfBounds(): HttpProblem {
  return new HttpProblem(
    403,
    'BUDGET_OF_BOUNDS',
    'the bounds of the tenant hold it to what is counted there',
    {
      remedy:
        'Have whoever runs the plane give it back, with a key of this tenant that has the scope operate:limits, or widen the bounds.',
    },
  );
}

function deltaOf({ deltaMicros, deltaDollars = 0 }: z.output<typeof body>): number {
  return deltaMicros ?? Math.sign(deltaDollars) * (dollarsToMicros(Math.abs(deltaDollars)) ?? 0);
}
