/**
 * The sums that the reconciler compares with the log and the ledger. They are exact to the micro-dollar, over all
 * recorded rows. Long answers come in pages: give the key of the last row as `after`. A page with fewer than `limit`
 * rows is the last.
 */
import { BUDGET_SCOPES, described, id, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { TENANT_TABLES } from '../retention/tenant-tables.ts';
import { fromBaseTables } from './analytics-source.ts';
import { budgetBookings } from './budget-bookings.ts';
import { summedMicros } from './summed-micros.ts';

const limit = z.int().min(1).max(10_000).default(10_000);

/** Returns the amount that each agent was charged, and the amount that outcomes added or gave back. */
export const chargesByAgent = question({
  params: z.strictObject({ tenant, after: id.optional(), limit }),
  row: z.object({
    agentId: z.string(),
    chargedMicros: summedMicros,
    settledMicros: summedMicros,
    spentMicros: summedMicros,
  }),
  sql: ({ tenant, ...params }) => `
    SELECT agent_id AS agentId, sum(charged) AS chargedMicros, sum(settled) AS settledMicros,
      sum(charged + settled) AS spentMicros
    FROM ${fromBaseTables({ tenant }, { dimensions: [] })}
    WHERE true${narrowed(params, { after: 'agent_id > {after:String}' })}
    GROUP BY agent_id
    ORDER BY agentId
    LIMIT {limit:UInt32}`,
});

const BEHIND = `(scope, subject, budgetId, windowMs)
      > ({afterScope:String}, {afterSubject:String}, {afterBudgetId:String}, {afterWindowMs:UInt64})`;

/**
 * Returns the right counter of each budget: reserved charges, changes by outcomes, and adjustments by operators. The
 * row of a budget with a window is the sum over all its windows. Give all `after…` parameters or none.
 */
export const chargesByBudget = question({
  params: z.strictObject({
    tenant,
    afterScope: z.enum(BUDGET_SCOPES).optional(),
    afterSubject: z.string().optional(),
    afterBudgetId: z.string().optional(),
    afterWindowMs: z
      .int()
      .min(0)
      .optional()
      .describe('The length of the window. 0: a budget without a window.'),
    retentionStartMs: z.int().optional().describe('Counts only rows from this time on.'),
    limit,
  }),
  row: z.object({
    scope: z.enum(BUDGET_SCOPES),
    subject: z.string(),
    budgetId: z.string(),
    windowMs: z.int().transform((ms) => (ms === 0 ? null : ms)),
    chargedMicros: summedMicros,
    settledMicros: summedMicros,
    adjustedMicros: summedMicros,
    spentMicros: summedMicros,
  }),
  sql: (params) => `
    SELECT scope, subject, budgetId, windowMs, sum(charges) AS chargedMicros, sum(settles) AS settledMicros,
      sum(adjusts) AS adjustedMicros, sum(charges + settles + adjusts) AS spentMicros
    FROM ${budgetBookings(params)}
    WHERE true${narrowed(params, { afterScope: BEHIND })}
    GROUP BY scope, subject, budgetId, windowMs
    ORDER BY scope, subject, budgetId, windowMs
    LIMIT {limit:UInt32}`,
});

/**
 * Returns attempts with more than one first decision, at most 1,000. Deferrals do not count. A correct log has no
 * such attempt.
 */
export const doubledActions = question({
  params: z.strictObject({ tenant }),
  row: z.object({
    agentId: described(z.string(), 'The agent.', 'airline-007'),
    actionId: described(z.string(), 'The action.', 'act_7f3a'),
    attempt: described(z.int(), 'The attempt.', 1),
    firstDecisions: described(z.int(), 'How many first decisions it has.', 2),
  }),
  sql: () => `
    SELECT agent_id AS agentId, action_id AS actionId, attempt, count() AS firstDecisions
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND kind = 'first' AND verdict != 'DEFER'
    GROUP BY agent_id, action_id, attempt
    HAVING firstDecisions > 1
    ORDER BY agentId, actionId, attempt
    LIMIT 1000`,
});

const ROWS = {
  params: z.strictObject({ tenant, after: id.optional(), limit }),
  row: z.object({
    id: described(z.string(), 'The id of the row.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
    void: described(
      z.boolean(),
      'Whether the row is left out of every answer, because a newer ledger epoch had begun.',
      false,
    ),
    atMs: described(
      z.int(),
      'The time that decides how long the row is kept, in epoch milliseconds.',
      1_767_605_441_004,
    ),
    logPartition: described(z.int(), 'The partition of the record on the log.', 2),
    logOffset: described(z.int(), 'The offset of the record in its partition.', 41),
  }),
};

/**
 * All rows of a table, by id. With FINAL, each page would read all remaining rows, so the end of a page is found
 * without FINAL. Repeats make a page shorter. Only the page after the last row is empty.
 */
function rowsOf(table: 'decisions' | 'settlements') {
  return question({
    ...ROWS,
    sql({ after }) {
      const behind = `tenant = {tenant:String}${narrowed({ after }, { after: 'id > {after:String}' })}`;
      return `
      WITH (SELECT max(id) FROM (SELECT id FROM ${table} WHERE ${behind} ORDER BY id LIMIT {limit:UInt32})) AS last
      SELECT id, void, toUnixTimestamp64Milli(${TENANT_TABLES[table].at}) AS atMs,
        log_partition AS logPartition, log_offset AS logOffset
      FROM ${table} FINAL
      WHERE ${behind} AND id <= last
      ORDER BY id`;
    },
  });
}

export const decisionRows = rowsOf('decisions');
export const settlementRows = rowsOf('settlements');

/**
 * Returns the rows of changes to agents, keys, policies, rules and mandates, in pages by id. Each record of the
 * control topic has its own id.
 */
export const changeRows = question({
  ...ROWS,
  sql: ({ after }) => `
    SELECT id, void, toUnixTimestamp64Milli(happened_at) AS atMs,
      log_partition AS logPartition, log_offset AS logOffset
    FROM control_events FINAL
    WHERE tenant = {tenant:String} AND revision > 0${narrowed({ after }, { after: 'id > {after:String}' })}
    ORDER BY id
    LIMIT {limit:UInt32}`,
});
