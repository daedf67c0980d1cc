/**
 * Records that could not be read, newest first, paged by id like decisions. A dead letter has no tenant, because its
 * content cannot be trusted. Its source topic decides who may see it, so the caller must set `sourceTopic`. Without
 * `sourceTopic` all dead letters are returned.
 */
import { time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';
import { sourceTopic } from './source-topic.ts';

export const searchDeadLetters = question({
  params: z.strictObject({
    sourceTopic,
    ...period,
    /** True: only dead letters that were published again. False: only those that never were. */
    republished: z.boolean().optional(),
    before: z.string().min(1).optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: z.string(),
    sourceTopic: z.string(),
    sourcePartition: z.int(),
    sourceOffset: z.int(),
    code: z.string(),
    reason: z.string(),
    pointer: z.string(),
    bytes: z.int(),
    truncated: z.boolean(),
    appendedAt: time,
    foundAt: time,
    logTopic: z.string(),
    logPartition: z.int(),
    logOffset: z.int(),
    /** How often the dead letter was published again. */
    republications: z.int(),
  }),
  sql: (params) => `
    SELECT id, source_topic AS sourceTopic, source_partition AS sourcePartition, source_offset AS sourceOffset, code,
      reason, pointer, bytes, truncated, appended_at AS appendedAt, found_at AS foundAt,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset,
      toUInt64(republished.times) AS republications
    FROM dead_letters FINAL
    LEFT JOIN (
      SELECT letter_id, count() AS times FROM republications FINAL WHERE NOT void GROUP BY letter_id
    ) AS republished ON letter_id = dead_letters.id
    WHERE NOT void${narrowed(params, {
      sourceTopic: 'source_topic = {sourceTopic:String}',
      fromMs: "appended_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
      toMs: "appended_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      republished: '(republished.times > 0) = {republished:Bool}',
      before: 'id < {before:String}',
    })}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});
