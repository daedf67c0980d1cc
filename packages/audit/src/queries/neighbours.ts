/**
 * The decisions of the same agent before and after a decision, nearest first. The search covers a span of ids, which
 * begin with their time. So for an agent that acts rarely, years of decisions of other agents are not searched.
 *
 * Ids have no order within a millisecond. The decisions of an agent share a partition, so the offset decides there.
 * All decisions of the last millisecond are read before the nearest are chosen.
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

/** The beginning of an id: `dec_`, and ten characters of time. */
const MILLISECOND = 'left(id, 14)';

const PLACE = "(fromUnixTimestamp64Milli({atMs:Int64}, 'UTC'), {offset:UInt64})";

/** Decisions on one side of the decision in the log, nearest first. */
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
