import type { Batch } from '@mandate/bus';

/**
 * Does long work while it sends heartbeats. Rejects as soon as a heartbeat fails. With BUS_FENCED, another recorder
 * has the partition; what this work still inserts is a repeat, which the tables collapse.
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
