/**
 * What a recorder that starts at an offset must know about the partition before it: the ledger epoch in force there,
 * and up to which offset the tables prove it. The control events of a batch are stored before its other rows, and the
 * batches of a partition are stored in order. So a row at an offset proves that every epoch before it is on record,
 * and only the log after `through` must be read. An overtaken epoch is on record as void. A repeat can only lower
 * `through` and never an epoch, because a rebuild announces itself under a new id each time.
 */
import { z } from 'zod';
import { question } from '../question.ts';

const BEFORE =
  'log_topic = {topic:String} AND log_partition = {partition:UInt32} AND log_offset < {offset:UInt64}';

/** Returns one row. `ledgerEpoch` and `through` are null if nothing of that kind is recorded before `offset`. */
export const epochBefore = question({
  params: z.strictObject({ topic: z.string().min(1), partition: z.int().min(0), offset: z.int().min(0) }),
  row: z.object({
    ledgerEpoch: z.string().nullable(),
    /** The highest generation that an epoch named. 0 if there is none. */
    generation: z.int(),
    through: z.int().nullable(),
  }),
  sql: () => `
    SELECT argMaxOrNull(id, log_offset) AS ledgerEpoch,
      max(JSONExtractUInt(payload, 'epoch', 'generation')) AS generation,
      (SELECT maxOrNull(log_offset) FROM (
        SELECT log_offset FROM control_events WHERE ${BEFORE}
        UNION ALL SELECT log_offset FROM settlements WHERE ${BEFORE}
        UNION ALL SELECT log_offset FROM decisions WHERE ${BEFORE}
      )) AS through
    FROM control_events
    WHERE tenant = '' AND event = 'ledger.epoch' AND NOT void AND ${BEFORE}`,
});
