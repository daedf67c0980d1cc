/**
 * The records of the context builder for a tenant, newest first, as long as they are kept. The page key is the id, then
 * the API key that reported the record. The time in an id follows its prefix, `ctx_`.
 */
import { contextBuilt, described, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';

/** A row matches any of the values. */
const ids = z.array(id).optional();

export const searchContextBuilds = question({
  params: z.strictObject({
    tenant,
    agentId: ids,
    requestId: ids,
    actionId: ids,
    principalId: ids,
    error: ids,
    skipReason: ids,
    ...period,
    beforeId: id.optional(),
    beforeKeyId: z.string().optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: described(z.string(), 'The id of the record.', 'ctx_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b'),
    keyId: described(z.string(), 'The id of the API key that reported it.', '7dQ1xYb0aKpL'),
    agentId: described(z.string(), 'The agent of the builder.', 'context-builder'),
    requestId: described(z.string(), 'The request of the chat, as the program names it.', 'chat-4711'),
    actionId: described(
      z.string().nullable(),
      'The action of the model call. null: there was no decision about one.',
      'act_7f3a',
    ),
    principalId: described(
      z.string().nullable(),
      'The user for whom the main agent acts. null: none was stated.',
      'u1',
    ),
    skipReason: described(z.string().nullable(), 'Why it was skipped. null: it was not.', 'flag_disabled'),
    error: described(z.string().nullable(), 'Why there is no manifest. null: there is one.', 'TIMEOUT'),
    questionType: described(
      z.string().nullable(),
      'The kind of question. null: there is no manifest.',
      'casual',
    ),
    at: described(time, 'When the builder finished, by the clock of the program.'),
    keptUntil: described(time, 'Until when the audit keeps the record.'),
    /** The bytes that the recorder read as a record. */
    payload: z.string().transform((json) => contextBuilt.parse(JSON.parse(json)).build),
    logTopic: z.string(),
    logPartition: z.int(),
    logOffset: z.int(),
  }),
  sql: (params) => `
    SELECT id, key_id AS keyId, agent_id AS agentId, request_id AS requestId, nullIf(action_id, '') AS actionId,
      nullIf(principal_id, '') AS principalId, nullIf(skip_reason, '') AS skipReason,
      nullIf(error_code, '') AS error, nullIf(question_type, '') AS questionType, built_at AS at,
      kept_until AS keptUntil, payload,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset
    FROM context_builds FINAL
    WHERE tenant = {tenant:String} AND NOT void AND kept_until > now64(3)${narrowed(params, {
      agentId: 'agent_id IN {agentId:Array(String)}',
      requestId: 'request_id IN {requestId:Array(String)}',
      actionId: 'action_id IN {actionId:Array(String)}',
      principalId: 'principal_id IN {principalId:Array(String)}',
      error: 'error_code IN {error:Array(String)}',
      skipReason: 'skip_reason IN {skipReason:Array(String)}',
      fromMs: "built_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
      toMs: "built_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      beforeId: '(substring(id, 5), key_id) < (substring({beforeId:String}, 5), {beforeKeyId:String})',
    })}
    ORDER BY substring(id, 5) DESC, key_id DESC
    LIMIT {limit:UInt32}`,
});
