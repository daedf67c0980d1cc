/**
 * What a recorder that starts at an offset must know of the partition before it: the ledger epoch in force there, and
 * how far that can be told from these tables. A batch's control events land before its other rows, and batches of a
 * partition land in order; so a row at an offset proves that every epoch before it is on record, and only what lies
 * behind `through` must be read from the log. An epoch that was overtaken is on record as void. Repeats only ever lower
 * `through`, never an epoch: each time that a rebuild announces itself it does so under a fresh id.
 */
import { z } from 'zod';
import { question } from '../question.ts';

const BEFORE =
  'log_topic = {topic:String} AND log_partition = {partition:UInt32} AND log_offset < {offset:UInt64}';

/** One row. Epoch and `through` are null where nothing of the kind is recorded before `offset`. */
export const epochBefore = question({
  params: z.strictObject({ topic: z.string().min(1), partition: z.int().min(0), offset: z.int().min(0) }),
  row: z.object({
    ledgerEpoch: z.string().nullable(),
    /** The highest that was named; 0 where none was. */
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
