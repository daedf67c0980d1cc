/**
 * Decisions that name another one, or belong to the same trace: in the order of time, the first so many. Children and
 * duplicates come after what they name, and are looked for in the week behind it.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';

const limit = z.int().min(1).max(1_000).default(100);
const behind = { tenant, atMs: z.int().min(0), limit };

const IN_THE_WEEK_BEHIND = `appended_at BETWEEN fromUnixTimestamp64Milli({atMs:Int64}, 'UTC')
      AND fromUnixTimestamp64Milli({atMs:Int64}, 'UTC') + INTERVAL 7 DAY`;

/** Whose actions name this one as their parent, of whatever agent: a sub-agent is another one. */
export const childrenOf = question({
  params: z.strictObject({ ...behind, actionId: id }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND parent_action_id = {actionId:String} AND ${IN_THE_WEEK_BEHIND}
    ORDER BY id
    LIMIT {limit:UInt32}`,
});

/** Those that say that this decision stands: repeats of its id, or of its idempotency key under another id. */
export const duplicatesOf = question({
  params: z.strictObject({ ...behind, agentId: id, id }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND kind = 'duplicate' AND agent_id = {agentId:String}
      AND ${IN_THE_WEEK_BEHIND}
      AND JSONExtractString(payload, 'decision', 'duplicateOf', 'decisionId') = {id:String}
    ORDER BY id
    LIMIT {limit:UInt32}`,
});

export const decisionsOfTrace = question({
  params: z.strictObject({ tenant, traceId: z.string().regex(/^[0-9a-f]{32}$/), limit }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND trace_id = {traceId:String}
    ORDER BY id
    LIMIT {limit:UInt32}`,
});
