/**
 * Where a record goes that cannot become a row, so that the others need not wait for it. Nothing about such a record
 * is assumed but its position and its bytes.
 */

import type { AuditClient } from './port.ts';
import { storableTime } from './recorded.ts';

export type Quarantined = {
  position: { topic: string; partition: number; offset: number };
  value: Uint8Array;
  /** The table it was meant for; empty when that could not be told. */
  meantFor: string;
  reason: string;
  recordedAtMs: number;
};

/** Keeps the records with their bytes and reasons; the same position again replaces its row. */
export async function quarantine(client: AuditClient, records: readonly Quarantined[]): Promise<void> {
  await client.insert(
    'quarantine',
    records.map(({ position, value, meantFor, reason, recordedAtMs }) => ({
      log_topic: position.topic,
      log_partition: position.partition,
      log_offset: position.offset,
      meant_for: meantFor,
      // A reason may quote the very text that could not be stored.
      reason: reason.toWellFormed(),
      value_base64: Buffer.from(value).toString('base64'),
      recorded_at: storableTime.parse(new Date(recordedAtMs).toISOString()),
    })),
  );
}
