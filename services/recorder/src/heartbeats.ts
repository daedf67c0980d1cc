import type { Batch } from '@mandate/bus';

/**
 * Does long work with the membership kept alive. Rejects as soon as a heartbeat fails: with BUS_FENCED the partition
 * is another's, and what this work still does is a repeat that shows in no answer.
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
