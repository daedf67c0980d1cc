/**
 * What the agent of a decision was decided before it and after it, the nearest first. Within a span of ids, which begin
 * with their time: an agent that seldom acts is not looked for in years of others' decisions.
 *
 * Requests of one millisecond have ids in no order; an agent's lie in one partition, so there the log tells. All of the
 * last millisecond are taken before the nearest are picked.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { SPAN, span } from './related-decisions.ts';

const params = z.strictObject({
  tenant,
  agentId: id,
  ...span,
  /** When the request of the decision reached the log, and the log position of the decision. */
  atMs: z.int().min(0),
  offset: z.int().min(0),
  limit: z.int().min(1).max(100).default(5),
});

/** What an id begins with: `dec_`, and ten characters of time. */
const MILLISECOND = 'left(id, 14)';

const PLACE = "(fromUnixTimestamp64Milli({atMs:Int64}, 'UTC'), {offset:UInt64})";

/** On one side of the decision in the log, the nearest first. */
const nearest = (side: '<' | '>', order: 'ASC' | 'DESC') =>
  question({
    params,
    row: decisionSummary,
    sql: () => `
    SELECT * FROM (
      SELECT ${DECISION_COLUMNS}
      FROM decisions FINAL
      WHERE tenant = {tenant:String} AND NOT void AND agent_id = {agentId:String} AND ${SPAN}
        AND (appended_at, log_offset) ${side} ${PLACE}
      ORDER BY ${MILLISECOND} ${order}
      LIMIT {limit:UInt32} WITH TIES
    ) ORDER BY appendedAt ${order}, logOffset ${order}
    LIMIT {limit:UInt32}`,
  });

export const decisionsBefore = nearest('<', 'DESC');
export const decisionsAfter = nearest('>', 'ASC');
