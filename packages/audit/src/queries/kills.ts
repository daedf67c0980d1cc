/**
 * Lists kills, newest first. Each kill has the revive that ended it: the first revive of the same switch with a
 * higher revision. A kill without a revive is in force. A tenant sees its own kills and kills of everything. A kill
 * of everything lists the open actions of all tenants. Each tenant sees only its own actions.
 */
import { described, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';
import { controlEventSummary } from './search-control-events.ts';

const OF_TENANT = "tenant IN ({tenant:String}, '') AND NOT void";

export const kills = question({
  params: z.strictObject({
    tenant,
    id: id.optional(),
    /** The agent that was killed, alone or together with its descendants. */
    agentId: id.optional(),
    /** Only kills without a revive. */
    inForce: z.literal(true).optional(),
    beforeMs: period.fromMs,
    beforeId: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: controlEventSummary
    .pick({ id: true, agentId: true, by: true, reason: true, open: true, openCount: true })
    .extend({
      scope: described(controlEventSummary.shape.scope.unwrap(), 'What was stopped.'),
      killedAt: described(time, 'When it was killed.'),
      revivedBy: z.string().nullable(),
      revivedWhy: z.string().nullable(),
      revivedAt: time.nullable(),
    }),
  sql: (params) => `
    SELECT pulled.id AS id, pulled.scope AS scope, nullIf(pulled.agent_id, '') AS agentId, nullIf(pulled.made_by, '') AS by,
      pulled.reason AS reason, pulled.open AS open, if(pulled.scope = 'all', NULL, pulled.open_count) AS openCount,
      pulled.happened_at AS killedAt, released.id != '' AS is_over, if(is_over, released.made_by, NULL) AS revivedBy,
      if(is_over, released.reason, NULL) AS revivedWhy, if(is_over, released.happened_at, NULL) AS revivedAt
    FROM (
      SELECT tenant, id, scope, agent_id, made_by, reason, happened_at,
        JSONExtractUInt(payload, 'kill', 'revision') AS flag_revision,
        JSONExtractUInt(payload, 'kill', 'openCount') AS open_count,
        arrayMap(one -> CAST((one.agentId, one.actionId, one.attempt), 'Tuple(agentId String, actionId String, attempt UInt32)'),
          arrayFilter(one -> one.tenant = {tenant:String}, JSONExtract(payload, 'kill', 'open',
            'Array(Tuple(tenant String, agentId String, actionId String, attempt UInt32))'))) AS open
      FROM control_events FINAL
      WHERE ${OF_TENANT} AND event = 'agent.killed'${narrowed(params, {
        id: 'id = {id:String}',
        agentId: 'agent_id = {agentId:String}',
        beforeMs: `(happened_at, id) < (fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC'), {beforeId:String})`,
      })}
      LIMIT 1 BY id
    ) AS pulled
    ASOF LEFT JOIN (
      SELECT tenant, id, scope, agent_id, made_by, reason, happened_at,
        JSONExtractUInt(payload, 'revive', 'revision') AS flag_revision
      FROM control_events FINAL
      WHERE ${OF_TENANT} AND event = 'agent.revived'
    ) AS released
    ON pulled.tenant = released.tenant AND pulled.scope = released.scope AND pulled.agent_id = released.agent_id
      AND pulled.flag_revision < released.flag_revision
    WHERE true${narrowed(params, { inForce: "released.id = ''" })}
    ORDER BY pulled.happened_at DESC, pulled.id DESC
    LIMIT {limit:UInt32}`,
});
