/**
 * Dead letters by their ids, and one whole dead letter. `payload` is the record exactly as the log contains it.
 * `sourceTopic` decides which dead letters the caller may see, as in search-dead-letters.ts.
 */
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { sourceTopic } from './source-topic.ts';

export const deadLetterById = question({
  params: z.strictObject({ sourceTopic, id }),
  row: z.object({
    payload: z.string(),
    logTopic: z.string(),
    logPartition: z.int(),
    logOffset: z.int(),
  }),
  sql: (params) => `
    SELECT payload, log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset
    FROM dead_letters FINAL
    WHERE NOT void AND id = {id:String}${narrowed(params, { sourceTopic: SOURCE_TOPIC })}`,
});

export const lettersById = question({
  params: z.strictObject({ sourceTopic, ids: z.array(id) }),
  row: z.object({ id: z.string(), code: z.string(), reason: z.string() }),
  sql: (params) => `
    SELECT id, code, reason
    FROM dead_letters FINAL
    WHERE NOT void AND id IN {ids:Array(String)}${narrowed(params, { sourceTopic: SOURCE_TOPIC })}
    ORDER BY id`,
});

const SOURCE_TOPIC = 'source_topic = {sourceTopic:String}';
