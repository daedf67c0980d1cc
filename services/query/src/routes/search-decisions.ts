/** GET /v1/audit/decisions: what was decided, newest first. */
import { type DecisionSummary, searchDecisions as question } from '@mandate/audit';
import { callerOf } from '@mandate/runtime';
import { CODES, DECISION_KINDS, decision, id, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { next, pageCursor } from '../page-cursor.ts';
import { askerOf, logPlace, type Route, withLogPlace } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('decisions', z.tuple([id]));

const found = z.object({
  id: z.string(),
  kind: z.enum(DECISION_KINDS),
  actionId: z.string(),
  attempt: z.int(),
  agentId: z.string(),
  type: z.string(),
  tool: z.string().nullable(),
  model: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  code: z.enum(CODES),
  observedVerdict: z.enum(VERDICTS).nullable(),
  observedCode: z.enum(CODES).nullable(),
  reason: z.string(),
  chargedMicros: microsField,
  charged: dollarsField,
  cumulativeMicros: microsField,
  cumulative: dollarsField,
  decidedAt: time,
  log: logPlace,
});

export const searchDecisions: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/decisions',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Search decisions, newest first',
        description:
          'In the order in which requests reached the log. Decisions that a rebuilt ledger made void are left out.',
        querystring: queryParameters({
          agent: id.optional(),
          actionId: id.optional().describe('Of one action: ids of actions are unique per agent only.'),
          verdict: z.enum(VERDICTS).optional(),
          code: z.enum(CODES).optional(),
          tool: id.optional(),
          type: decision.shape.type.optional(),
          kind: z.enum(DECISION_KINDS).optional(),
          ...period,
          cursor: cursor.parameter,
          limit,
        }),
        response: { 200: z.object({ decisions: z.array(found), next }) },
      },
    },
    async (request) => {
      const { agent, from, to, cursor: place, limit, ...filters } = request.query;
      const rows = await ask(askerOf(request), question, {
        ...filters,
        tenant: callerOf(request).tenant,
        agentId: agent,
        fromMs: from,
        toMs: to,
        before: place?.[0],
        limit,
      });
      return { decisions: rows.map(shown), next: cursor.next(rows, limit, (row) => [row.id]) };
    },
  );
};

const explained = z.object({ decision: z.object({ reason: z.string() }) });

/** The reason stands in the record only; the record itself is a question of its own. */
function shown({ payload, ...row }: DecisionSummary): z.output<typeof found> {
  const { reason } = explained.parse(JSON.parse(payload)).decision;
  return withLogPlace(withDollars({ ...row, reason }));
}
