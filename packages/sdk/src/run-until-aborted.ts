/** Ends a wait at once when it is aborted, even if the work does not listen to the signal. */

/**
 * Returns the result of the work. The work goes on after an abort, and its result is dropped.
 *
 * @param work may call `finished`. A later abort then ends the wait no more
 * @throws the error of the work, or the reason of the signal
 */
export async function runUntilAborted<T>(
  signal: AbortSignal,
  work: (finished: () => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  const finished = () => signal.removeEventListener('abort', onAbort);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(finished), aborted]);
  } finally {
    finished();
  }
}
