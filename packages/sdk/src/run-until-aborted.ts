/** Ends a wait at once when it is aborted, even if what it waits for does not listen to the signal. */

/**
 * Returns the result of the work. The work goes on after an abort, and its result is dropped.
 *
 * @throws the error of the work, or the reason of the signal
 */
export async function runUntilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
