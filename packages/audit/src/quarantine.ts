/**
 * Quarantine: the table for records that cannot become a row, so that the other records need not wait. Only the log
 * position and the bytes of such a record are known.
 */

import type { AuditClient } from './port.ts';
import { storableTime } from './recorded.ts';

export type Quarantined = {
  position: { topic: string; partition: number; offset: number };
  value: Uint8Array;
  /** The table that the record was meant for. Empty if that is unknown. */
  meantFor: string;
  reason: string;
  recordedAtMs: number;
};

/** Stores the records with their bytes and reasons. Another call for the same log position replaces its row. */
export async function quarantine(client: AuditClient, records: readonly Quarantined[]): Promise<void> {
  await client.insert(
    'quarantine',
    records.map(({ position, value, meantFor, reason, recordedAtMs }) => ({
      log_topic: position.topic,
      log_partition: position.partition,
      log_offset: position.offset,
      meant_for: meantFor,
      // `toWellFormed` is needed because a reason may quote the text that could not be stored.
      reason: reason.toWellFormed(),
      value_base64: Buffer.from(value).toString('base64'),
      recorded_at: storableTime.parse(new Date(recordedAtMs).toISOString()),
    })),
  );
}
