/** GET /v1/audit/settlements: what outcomes did to charges, newest first. */
import { searchSettlements as question } from '@mandate/audit';
import { callerOf } from '@mandate/runtime';
import { id, settlement, time } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { next, pageCursor } from '../page-cursor.ts';
import { askerOf, logPlace, type Route, withLogPlace } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('settlements', z.tuple([id]));

const found = z.object({
  id: z.string(),
  kind: settlement.shape.kind,
  actionId: z.string(),
  attempt: z.int(),
  agentId: z.string(),
  status: settlement.shape.status,
  code: settlement.shape.code,
  deltaMicros: microsField.describe('Added to the charge, or given back when negative.'),
  delta: dollarsField,
  chargedMicros: microsField.describe('The charge after it.'),
  charged: dollarsField,
  cumulativeMicros: microsField,
  cumulative: dollarsField,
  late: z.boolean(),
  settledAt: time,
  log: logPlace,
});

export const searchSettlements: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/settlements',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Search settlements, newest first',
        description: 'Only those of kind `settled` moved money; the others are evidence.',
        querystring: queryParameters({
          agent: id.optional(),
          action: id.optional(),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ settlements: z.array(found), next }) },
      },
    },
    async (request) => {
      const { agent, action, from, to, cursor: place, limit } = request.query;
      const rows = await ask(askerOf(request), question, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        actionId: action,
        fromMs: from,
        toMs: to,
        before: place?.[0],
        limit,
      });
      return {
        settlements: rows.map((row) => withLogPlace(withDollars(row))),
        next: cursor.next(rows, limit, (row) => [row.id]),
      };
    },
  );
};
