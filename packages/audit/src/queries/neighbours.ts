/**
 * What the agent of a decision was decided before it and after it, the nearest first. Within a week on either side, so
 * that an agent which seldom acts is not looked for in years of others' decisions.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';

const params = z.strictObject({
  tenant,
  agentId: id,
  /** The decision, and when its request reached the log. */
  id,
  atMs: z.int().min(0),
  limit: z.int().min(1).max(100).default(5),
});

const AT = "fromUnixTimestamp64Milli({atMs:Int64}, 'UTC')";

export const decisionsBefore = question({
  params,
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND agent_id = {agentId:String} AND id < {id:String}
      AND appended_at BETWEEN ${AT} - INTERVAL 7 DAY AND ${AT}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});

export const decisionsAfter = question({
  params,
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND agent_id = {agentId:String} AND id > {id:String}
      AND appended_at BETWEEN ${AT} AND ${AT} + INTERVAL 7 DAY
    ORDER BY id
    LIMIT {limit:UInt32}`,
});
