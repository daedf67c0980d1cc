/**
 * Decisions that name another decision or share its trace, in the order of time, up to a limit. A decision that names
 * another decision comes later, so the search covers a range of ids after the named decision.
 */
import { id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { STANDS_FOR_ACTION } from './stands-for-action.ts';

/**
 * The first and last id of a search. Ids begin with their time, so a range of ids is a time span and uses the primary
 * index.
 */
export const span = { fromId: z.string().min(1), toId: z.string().min(1) };
export const SPAN = 'id >= {fromId:String} AND id < {toId:String}';

/** Ids have no order within a millisecond. The ledger sequence gives the order there. */
const IN_ORDER = 'appended_at, ledger_sequence, id';

const limit = z.int().min(1).max(1_000).default(100);

/**
 * Returns the decisions about child actions, which name this action as their parent. They may belong to another
 * agent, because a sub-agent is another agent.
 */
export const childrenOf = question({
  params: z.strictObject({ tenant, actionId: id, ...span, limit }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND parent_action_id = {actionId:String} AND ${SPAN}
    ORDER BY ${IN_ORDER}
    LIMIT {limit:UInt32}`,
});

/**
 * Returns the duplicates of a decision: repeats with its action id, and repeats with its idempotency key under
 * another action id.
 */
export const duplicatesOf = question({
  params: z.strictObject({ tenant, agentId: id, id, ...span, limit }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND NOT ${STANDS_FOR_ACTION} AND agent_id = {agentId:String} AND ${SPAN}
      AND JSONExtractString(payload, 'decision', 'duplicateOf', 'decisionId') = {id:String}
    ORDER BY ${IN_ORDER}
    LIMIT {limit:UInt32}`,
});

export const decisionsOfTrace = question({
  params: z.strictObject({ tenant, traceId: z.string().regex(/^[0-9a-f]{32}$/), limit }),
  row: decisionSummary,
  sql: () => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND trace_id = {traceId:String}
    ORDER BY ${IN_ORDER}
    LIMIT {limit:UInt32}`,
});
