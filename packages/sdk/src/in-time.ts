/**
 * Returns the result of the work, or throws after the time limit. The work may go on, and its late failure is ignored.
 *
 * @param late makes the error that is thrown after the time limit
 */
export async function inTime<T>(timeoutMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), timeoutMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
