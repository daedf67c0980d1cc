/** GET /v1/audit/sums…: sums that the reconciler compares with the ledger and the log, exact to the micro-dollar. */
import {
  changeRows,
  chargesByAgent,
  chargesByBudget,
  decisionRows,
  doubledActions,
  retentionStart,
  settlementRows,
} from '@mandate/audit';
import { BUDGET_SCOPES, described, id, time, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, spent, withDollars } from '../amounts.ts';
import { budgetName } from '../budget-name.ts';
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
        summary: 'Show what each agent was charged, by agent id, and attempts that were decided twice',
        description:
          'The sums cover everything in the audit. `doubled` must be empty, and names at most 1,000 attempts. `keptFrom` ' +
          'is the time before which rows were dropped, because they were too old. null: no row was dropped.',
        querystring: queryParameters({ cursor: agentCursor.parameter, limit }),
        response: {
          200: z.object({
            agents: described(
              z.array(
                z.object({ agentId: described(z.string(), 'The id of the agent.', 'airline-007'), ...spent }),
              ),
              'The sums of each agent, by agent id.',
            ),
            doubled: described(
              z.array(doubledActions.row),
              'Attempts that were decided twice. It must be empty. At most 1,000 are named.',
            ),
            keptFrom: described(
              time.nullable(),
              'Rows before this time were dropped, because they were too old. null: none was dropped.',
            ),
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
        ask(askerOf(request), retentionStart, { tenant }),
      ]);
      const retentionStartMs = kept?.retentionStartMs ?? null;
      return {
        agents: agents.map((row) => withDollars(row)),
        doubled,
        keptFrom: retentionStartMs === null ? null : wireTime(retentionStartMs),
        next: agentCursor.next(agents, limit, (row) => [row.agentId]),
      };
    },
  );
}

const budget = z.object({
  ...budgetName,
  ...spent,
  adjustedMicros: described(microsField, 'What operators added or gave back, in micro-dollars.', -2_500_000),
  adjusted: dollarsField,
});

function budgetSums(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/sums/budgets',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['reconciliation'],
        summary: 'Show what the counter of each budget must hold',
        description:
          'The sum of a budget with a window covers all its windows. `spent` also includes adjustments.',
        querystring: queryParameters({
          cursor: budgetCursor.parameter,
          limit,
          keptFrom: described(
            period(clock).from,
            'The retention start, as `/v1/audit/sums` returns it in `keptFrom`. Only what the audit has from this time on is summed.',
            '2026-01-01T00:00:00.000Z',
          ),
        }),
        response: {
          200: z.object({
            budgets: described(z.array(budget), 'The sums of each budget.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { cursor: pageKey, limit, keptFrom: retentionStartMs } = request.query;
      const rows = await ask(askerOf(request), chargesByBudget, {
        tenant: callerOf(request).tenant,
        afterScope: pageKey?.[0],
        afterSubject: pageKey?.[1],
        afterBudgetId: pageKey?.[2],
        afterWindowMs: pageKey?.[3],
        retentionStartMs,
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
        summary: 'List which decisions, settlements, or changes of documents and keys are on record, by id',
        description:
          'Void rows are included, and no other answer has them. A page may have fewer rows than `limit`. The last page has a `next` of null.',
        querystring: queryParameters({
          table: described(
            z.enum(['decisions', 'settlements', 'changes']),
            'The table to read.',
            'decisions',
          ),
          cursor: rowsCursor.parameter,
          limit: described(
            wholeNumberWithin(1, 10_000).default(1_000),
            'How many rows to return at most.',
            1_000,
          ),
        }),
        response: {
          200: z.object({ rows: described(z.array(decisionRows.row), 'The rows, by id.'), next: nextCursor }),
        },
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
