/** A row of `republications`. */
import type { Republication } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32, uint64 } from '../recorded.ts';

export const republicationRow = z.strictObject({
  id: z.string().min(1),
  letter_id: z.string().min(1),
  source_topic: z.string(),
  source_partition: uint32,
  source_offset: uint64,
  tenant: z.string(),
  made_by: z.string(),
  reason: z.string(),
  corrected: z.boolean(),
  answer_ids: z.array(z.string()),
  appended_at: storableTime,
  happened_at: storableTime,
  ...logColumns,
});

export function republicationRowOf(recorded: Recorded<Republication>): z.input<typeof republicationRow> {
  const { record } = recorded;
  return {
    id: record.id,
    letter_id: record.letterId,
    source_topic: record.source.topic,
    source_partition: record.source.partition,
    source_offset: record.source.offset,
    tenant: record.tenant ?? '',
    made_by: record.by,
    reason: record.reason,
    corrected: record.corrected,
    answer_ids: record.answerIds,
    appended_at: record.appendedAt,
    happened_at: record.at,
    ...logColumnsOf(recorded),
  };
}
