/** GET /v1/audit/sums…: what the reconciler compares with the ledger and the log, to the micro-dollar. */
import { chargesByAgent, chargesByBudget, doubledActions } from '@mandate/audit';
import { callerOf, type HttpServer } from '@mandate/runtime';
import { BUDGET_SCOPES, id } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, spent, withDollars } from '../amounts.ts';
import { next, pageCursor } from '../page-cursor.ts';
import type { QueryContext, Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('sums', z.tuple([id]));

export const sums: Route = (server, context) => {
  agentSums(server, context);
  budgetSums(server, context);
};

function agentSums(server: HttpServer, { ask }: QueryContext): void {
  server.get(
    '/v1/audit/sums',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['reconciliation'],
        summary: 'What each agent was charged, by agent id, and attempts that were decided twice',
        description: 'Over everything on record. `doubled` must be empty; at most 1,000 are named.',
        querystring: queryParameters({ cursor: cursor.parameter, limit }),
        response: {
          200: z.object({
            agents: z.array(z.object({ agentId: z.string(), ...spent })),
            doubled: z.array(doubledActions.row),
            next,
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { cursor: place, limit } = request.query;
      const [agents, doubled] = await Promise.all([
        ask(chargesByAgent, { tenant, after: place?.[0], limit }),
        ask(doubledActions, { tenant }),
      ]);
      return {
        agents: agents.map((row) => withDollars(row)),
        doubled,
        next: cursor.next(agents, limit, (row) => [row.agentId]),
      };
    },
  );
}

const budget = z.object({
  scope: z.enum(BUDGET_SCOPES),
  subject: z.string(),
  budgetId: z.string(),
  windowMs: z.int().nullable(),
  ...spent,
  adjustedMicros: microsField.describe('Added or given back by operators, in micro-dollars.'),
  adjusted: dollarsField,
});

function budgetSums(server: HttpServer, { ask }: QueryContext): void {
  server.get(
    '/v1/audit/sums/budgets',
    {
      config: { scope: 'operate' },
      schema: {
        tags: ['reconciliation'],
        summary: "What each budget's counter must hold",
        description:
          'A budget with a window is summed over all its windows. `spent` counts adjustments as well.',
        querystring: queryParameters({}),
        response: { 200: z.object({ budgets: z.array(budget) }) },
      },
    },
    async (request) => {
      const rows = await ask(chargesByBudget, { tenant: callerOf(request).tenant });
      return { budgets: rows.map((row) => withDollars(row)) };
    },
  );
}
