import { MandateError } from '@mandate/runtime';

/**
 * Returns the result of the work, or throws after the time limit. The work goes on, and its late failure is ignored.
 *
 * @throws MandateError LEDGER_UNAVAILABLE
 */
export async function within<T>(timeoutMs: number, work: Promise<T>, message: string): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const remedy = 'Nothing was allowed, and the call is blocked. Check Redis, then try again.';
    over.reject(new MandateError('LEDGER_UNAVAILABLE', message, { remedy, retryable: true }));
  }, timeoutMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
