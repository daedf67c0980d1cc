/** A row of `dead_letters`. */
import type { DeadLetter } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32, uint64 } from '../recorded.ts';

export const deadLetterRow = z.strictObject({
  id: z.string().min(1),
  source_topic: z.string(),
  source_partition: uint32,
  source_offset: uint64,
  code: z.string(),
  reason: z.string(),
  pointer: z.string(),
  bytes: uint64,
  truncated: z.boolean(),
  appended_at: storableTime,
  found_at: storableTime,
  ...logColumns,
});

export function deadLetterRowOf(recorded: Recorded<DeadLetter['deadLetter']>): z.input<typeof deadLetterRow> {
  const { record } = recorded;
  return {
    id: record.id,
    source_topic: record.source.topic,
    source_partition: record.source.partition,
    source_offset: record.source.offset,
    code: record.fault.code,
    reason: record.fault.reason,
    pointer: record.fault.pointer,
    bytes: record.bytes,
    truncated: record.truncated,
    appended_at: record.appendedAt,
    found_at: record.at,
    ...logColumnsOf(recorded),
  };
}
