/**
 * The history of a dead letter: each time it was published again, and the result. A caller who may see a dead letter
 * may also see its history. `sourceTopic` decides which dead letters the caller may see. The decisions and
 * settlements that answer the record are returned only to their own tenant.
 */
import { id, tenant, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { sourceTopic } from './source-topic.ts';

/** Returns the history of a dead letter, oldest first. */
export const republicationsOf = question({
  params: z.strictObject({ sourceTopic, letterId: id }),
  row: z.object({
    id: z.string(),
    by: z.string(),
    reason: z.string(),
    corrected: z.boolean(),
    sourceTopic: z.string(),
    sourcePartition: z.int(),
    sourceOffset: z.int(),
    tenant: tenant.nullable(),
    answerIds: z.array(z.string()),
    happenedAt: time,
  }),
  sql: (params) => `
    SELECT id, made_by AS by, reason, corrected, source_topic AS sourceTopic, source_partition AS sourcePartition,
      source_offset AS sourceOffset, nullIf(republications.tenant, '') AS tenant, answer_ids AS answerIds,
      happened_at AS happenedAt
    FROM republications FINAL
    WHERE NOT void AND letter_id = {letterId:String}${narrowed(params, {
      sourceTopic: 'source_topic = {sourceTopic:String}',
    })}
    ORDER BY happened_at, id`,
});

/** Returns the decisions and settlements with these ids. */
export const answersTo = question({
  params: z.strictObject({ tenant, ids: z.array(id) }),
  row: z.object({
    kind: z.enum(['decision', 'settlement']),
    id: z.string(),
    agentId: z.string(),
    actionId: z.string(),
    attempt: z.int(),
    verdict: z.enum(VERDICTS).nullable(),
    code: z.string(),
  }),
  sql: () => `
    SELECT 'decision' AS kind, id, agent_id AS agentId, action_id AS actionId, attempt,
      CAST(verdict, 'Nullable(String)') AS verdict, toString(code) AS code
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND NOT void AND id IN {ids:Array(String)}
    UNION ALL
    SELECT 'settlement' AS kind, id, agent_id AS agentId, action_id AS actionId, attempt,
      CAST(NULL, 'Nullable(String)') AS verdict, toString(code) AS code
    FROM settlements FINAL
    WHERE tenant = {tenant:String} AND NOT void AND id IN {ids:Array(String)}`,
});
