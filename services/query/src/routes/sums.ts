/** GET /v1/audit/sums…: the sums that the reconciler compares with the ledger and the log, to the micro-dollar. */
import {
  changeRows,
  chargesByAgent,
  chargesByBudget,
  decisionRows,
  doubledActions,
  rowsKeptFrom,
  settlementRows,
} from '@mandate/audit';
import { BUDGET_SCOPES, id, time, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, spent, withDollars } from '../amounts.ts';
import { askerOf, type QueryContext, type Route } from '../query-context.ts';
import { limit, period, queryParameters, wholeNumberWithin } from '../query-parameters.ts';

const rowsCursor = pageCursor('rows', z.tuple([id]));
const agentCursor = pageCursor('sums', z.tuple([id]));
const budgetCursor = pageCursor(
  'budgets',
  z.tuple([z.enum(BUDGET_SCOPES), z.string(), z.string(), z.int().min(0)]),
);

export const sums: Route = (server, context) => {
  agentSums(server, context);
  budgetSums(server, context);
  rowsRecorded(server, context);
};

function agentSums(server: HttpServer, { ask }: QueryContext): void {
  server.get(
    '/v1/audit/sums',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['reconciliation'],
        summary: 'What each agent was charged, by agent id, and attempts that were decided twice',
        description:
          'Over everything on record. `doubled` must be empty; at most 1,000 are named. `keptFrom`: what lies before was ' +
          'dropped, as it was old; null where nothing was.',
        querystring: queryParameters({ cursor: agentCursor.parameter, limit }),
        response: {
          200: z.object({
            agents: z.array(z.object({ agentId: z.string(), ...spent })),
            doubled: z.array(doubledActions.row),
            keptFrom: time.nullable(),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { cursor: pageKey, limit } = request.query;
      const [agents, doubled, [kept]] = await Promise.all([
        ask(askerOf(request), chargesByAgent, { tenant, after: pageKey?.[0], limit }),
        ask(askerOf(request), doubledActions, { tenant }),
        ask(askerOf(request), rowsKeptFrom, { tenant }),
      ]);
      const keptFromMs = kept?.keptFromMs ?? null;
      return {
        agents: agents.map((row) => withDollars(row)),
        doubled,
        keptFrom: keptFromMs === null ? null : wireTime(keptFromMs),
        next: agentCursor.next(agents, limit, (row) => [row.agentId]),
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

function budgetSums(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/sums/budgets',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['reconciliation'],
        summary: "What each budget's counter must hold",
        description:
          'A budget with a window is summed over all its windows. `spent` counts adjustments as well.',
        querystring: queryParameters({
          cursor: budgetCursor.parameter,
          limit,
          keptFrom: period(clock).from.describe(
            'Only what lies from then on, by the times that rows are kept by: as `/v1/audit/sums` tells it.',
          ),
        }),
        response: { 200: z.object({ budgets: z.array(budget), next: nextCursor }) },
      },
    },
    async (request) => {
      const { cursor: pageKey, limit, keptFrom: keptFromMs } = request.query;
      const rows = await ask(askerOf(request), chargesByBudget, {
        tenant: callerOf(request).tenant,
        afterScope: pageKey?.[0],
        afterSubject: pageKey?.[1],
        afterBudgetId: pageKey?.[2],
        afterWindowMs: pageKey?.[3],
        keptFromMs,
        limit,
      });
      return {
        budgets: rows.map((row) => withDollars(row)),
        next: budgetCursor.next(rows, limit, ({ scope, subject, budgetId, windowMs }) => [
          scope,
          subject,
          budgetId,
          windowMs ?? 0,
        ]),
      };
    },
  );
}

const ROWS = { decisions: decisionRows, settlements: settlementRows, changes: changeRows };

function rowsRecorded(server: HttpServer, { ask }: QueryContext): void {
  server.get(
    '/v1/audit/sums/rows',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['reconciliation'],
        summary:
          'Which decisions, settlements, or changes of agents, keys, policies, rules and mandates are on record, by id',
        description:
          'Those that are void among them: no other answer has those. A page may have fewer rows ' +
          'than `limit`; the last is the one whose `next` is null.',
        querystring: queryParameters({
          table: z.enum(['decisions', 'settlements', 'changes']).describe('Of which of them.'),
          cursor: rowsCursor.parameter,
          limit: wholeNumberWithin(1, 10_000)
            .default(1_000)
            .describe('At most so many, 1 to 10,000. Default 1,000.'),
        }),
        response: { 200: z.object({ rows: z.array(decisionRows.row), next: nextCursor }) },
      },
    },
    async (request) => {
      const { table, cursor: pageKey, limit } = request.query;
      const { tenant } = callerOf(request);
      const rows = await ask(askerOf(request), ROWS[table], { tenant, after: pageKey?.[0], limit });
      return { rows, next: rowsCursor.next(rows, 1, (row) => [row.id]) };
    },
  );
}
