/**
 * The decisions of the same agent before and after a decision, nearest first. Ids begin with their time, so the
 * search covers a range of ids. So the search for an agent that acts rarely does not read years of decisions of other
 * agents.
 *
 * Ids have no order within a millisecond. The decisions of an agent share a partition, so the offset gives the order.
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
  /** The time when the request of the decision reached the log, and the log position of the decision. */
  atMs: z.int().min(0),
  offset: z.int().min(0),
  limit: z.int().min(1).max(100).default(5),
});

/** SQL for the part of an id that contains its time: `dec_` and ten characters. */
const MILLISECOND = 'left(id, 14)';

const PLACE = "(fromUnixTimestamp64Milli({atMs:Int64}, 'UTC'), {offset:UInt64})";

/** SQL for the decisions before or after the given decision in the log, nearest first. */
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
