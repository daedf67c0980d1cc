/** A record of the log before it becomes a row, and the columns that all such rows have. */
import type { LogPosition } from '@mandate/schemas';
import { z } from 'zod';

export type Recorded<R> = {
  record: R;
  /** The bytes of the record, exactly as the log contains them. */
  value: Uint8Array;
  /** The log position of the record. */
  position: LogPosition;
  /**
   * True if the record is stored but no answer counts it. Either its ledger epoch was not in force, or the record is
   * an overtaken epoch.
   */
  void: boolean;
  recordedAtMs: number;
  /** The trace of the record, from its header. */
  traceId: string | null;
};

/**
 * A number that fits the column UInt32. The schema checks this, because ClickHouse would silently wrap a larger
 * number.
 */
export const uint32 = z.int().min(0).max(4_294_967_295);
export const uint64 = z.int().min(0);

/** Accepts a time that DateTime64(3) can store exactly, and converts it to the form for a row. */
export const storableTime = z.iso
  .datetime({ offset: true })
  .transform((written) => new Date(written))
  .refine((at) => at.getTime() >= 0 && at.getUTCFullYear() < 2262, {
    error: 'must be in the years 1970 to 2261',
  })
  .transform((at) => at.toISOString());

export const logColumns = {
  void: z.boolean(),
  log_topic: z.string().min(1),
  log_partition: uint32,
  log_offset: uint64,
  recorded_at: storableTime,
  payload: z.string(),
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function logColumnsOf(recorded: Recorded<unknown>): z.input<z.ZodObject<typeof logColumns>> {
  const { position, value, recordedAtMs } = recorded;
  return {
    void: recorded.void,
    log_topic: position.topic,
    log_partition: position.partition,
    log_offset: position.offset,
    recorded_at: new Date(recordedAtMs).toISOString(),
    payload: utf8.decode(value),
  };
}
