/**
 * The decisions and settlements of SDKs for a tenant, newest first. The page key is the id, then the API key that
 * reported the record. The time in an id follows its prefix, `dec_` or `stl_`.
 */
import { described, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';

export const searchSdkRecords = question({
  params: z.strictObject({
    tenant,
    agentId: id.optional(),
    actionId: id.optional(),
    keyId: id.optional(),
    ...period,
    beforeId: id.optional(),
    beforeKeyId: z.string().optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: described(z.string(), 'The id of the decision or settlement.', 'dec_01ke6qx4f8c6ede247811a2d78f78a'),
    keyId: described(
      z.string().nullable(),
      'Who decided: the id of the API key that reported it. null: a producer wrote it to the topic.',
      '7dQ1xYb0aKpL',
    ),
    event: described(z.enum(['sdk.decided', 'sdk.settled']), 'Whether the SDK decided or settled.'),
    actionId: described(z.string(), 'The action.', 'act_7f3a'),
    attempt: described(z.int(), 'The attempt, from 1.', 1),
    agentId: described(z.string(), 'The agent.', 'airline-007'),
    subject: described(z.string().nullable(), 'The tool or the model. null: a settlement.', 'pay'),
    verdict: described(z.string().nullable(), 'The verdict. null: a settlement.', 'ALLOW'),
    code: described(z.string(), 'Why, as a stable code.', 'ALLOWED'),
    reason: described(z.string(), 'Why, as a sentence.', 'Every check passed.'),
    deltaMicros: z.int(),
    at: described(time, 'When the SDK decided or settled, by the clock of its ledger.'),
    logTopic: z.string(),
    logPartition: z.int(),
    logOffset: z.int(),
  }),
  sql: (params) => `
    SELECT id, nullIf(key_id, '') AS keyId, event, action_id AS actionId, attempt, agent_id AS agentId,
      nullIf(subject, '') AS subject, nullIf(verdict, '') AS verdict, code, reason, delta_micros AS deltaMicros,
      happened_at AS at, log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset
    FROM sdk_records FINAL
    WHERE tenant = {tenant:String} AND NOT void${narrowed(params, {
      agentId: 'agent_id = {agentId:String}',
      actionId: 'action_id = {actionId:String}',
      keyId: 'key_id = {keyId:String}',
      fromMs: "happened_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
      toMs: "happened_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      beforeId: '(substring(id, 5), key_id) < (substring({beforeId:String}, 5), {beforeKeyId:String})',
    })}
    ORDER BY substring(id, 5) DESC, key_id DESC
    LIMIT {limit:UInt32}`,
});
