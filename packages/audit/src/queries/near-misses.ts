/**
 * Calls that nearly reached a limit, by agent and by budget or rate, the latest first. Computed from the decisions
 * themselves.
 */
import { described, id, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { NEAR_MISS_AT } from './analytics-source.ts';
import { decisionFilter, decisionsNarrowed } from './decision-filter.ts';

export const nearMisses = question({
  params: decisionFilter.extend({
    /** The percentage of the limit from which an ALLOW counts as near the limit. */
    nearMissAt: z.int().min(1).max(100).default(NEAR_MISS_AT),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    agentId: described(z.string(), 'The agent that used the limit.', 'airline-007'),
    kind: described(z.enum(['budget', 'rate']), 'The kind of limit.'),
    /** The scope of a budget. Null for a rate. */
    scope: z.string().nullable(),
    /** The subject of the budget. For a rate, the agent of the calls. */
    subject: z.string(),
    /** The id of the budget. For a rate, the tool, or empty text for a rate of all calls. */
    id: z.string(),
    windowMs: z.int().nullable(),
    nearMisses: z.int(),
    /** The highest use of the limit after any of these calls, in whole percent, rounded down. */
    highestPercent: z.int(),
    /** The use of the limit after the latest of these calls: micro-dollars, or a number of calls. */
    used: z.int(),
    most: z.int(),
    decisionId: id,
    decidedAt: described(time, 'When the latest of them was decided.'),
  }),
  sql: ({ nearMissAt: _, limit: __, ...filter }) => `
    SELECT agent_id AS agentId, one.kind AS kind, nullIf(one.scope, '') AS scope, one.subject AS subject, one.id AS id,
      nullIf(one.window_ms, 0) AS windowMs, count() AS nearMisses,
      max(intDiv(one.used * 100, one.most)) AS highestPercent,
      argMax(one.used, place) AS used, argMax(one.most, place) AS most,
      argMax(decision_id, place) AS decisionId, max(decided_at) AS decidedAt
    FROM (
      SELECT agent_id, id AS decision_id, decided_at, limits, (decided_at, ledger_sequence, id) AS place FROM decisions FINAL
      WHERE tenant = {tenant:String} AND NOT void AND verdict = 'ALLOW'${decisionsNarrowed(filter)}
    ) ARRAY JOIN limits AS one
    WHERE one.most > 0 AND one.used * 100 >= one.most * {nearMissAt:UInt8}
    GROUP BY agent_id, one.kind, one.scope, one.subject, one.id, one.window_ms
    ORDER BY max(place) DESC, kind, scope, subject, id, windowMs
    LIMIT {limit:UInt32}`,
});
