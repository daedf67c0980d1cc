import type { Batch } from '@mandate/bus';

/**
 * Does long work and sends heartbeats meanwhile. Rejects as soon as a heartbeat fails. After BUS_FENCED, another
 * recorder has the partition. Rows that this work still inserts are repeats, which the tables collapse.
 */
export async function withHeartbeats<T>(batch: Batch, everyMs: number, work: () => Promise<T>): Promise<T> {
  const lost = Promise.withResolvers<never>();
  const beating = setInterval(() => batch.heartbeat().catch(lost.reject), everyMs);
  try {
    return await Promise.race([work(), lost.promise]);
  } finally {
    clearInterval(beating);
  }
}
