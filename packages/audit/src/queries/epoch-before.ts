/**
 * Finds what a recorder must know when it starts at an offset of a partition: the ledger epoch in force there, and
 * the offset up to which the tables prove this epoch. The control events of a batch are stored before its other rows,
 * and batches of a partition are stored in order. So a row at an offset proves that the tables contain every earlier
 * epoch, and the recorder must read only the log after `through`. An overtaken epoch is stored as void. A repeat can
 * only lower `through`, because each rebuild announces its epoch under a new id.
 */
import { z } from 'zod';
import { question } from '../question.ts';

const BEFORE =
  'log_topic = {topic:String} AND log_partition = {partition:UInt32} AND log_offset < {offset:UInt64}';

/**
 * Returns one row. `ledgerEpoch` is null if no epoch is recorded before `offset`, and `through` is null if no row is.
 */
export const epochBefore = question({
  params: z.strictObject({ topic: z.string().min(1), partition: z.int().min(0), offset: z.int().min(0) }),
  row: z.object({
    ledgerEpoch: z.string().nullable(),
    /** The highest generation in the recorded epochs. 0 if there is none. */
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
