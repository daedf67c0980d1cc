/** Ends a wait after a time, or at an abort, even if the work itself continues. */

/**
 * Returns the result of the work. After an abort, the work continues, and its result is dropped.
 *
 * @param work may call `finished`. After that call, an abort does not end the wait
 * @throws the error of the work, or the reason of the signal
 */
export async function runUntilAborted<T>(
  signal: AbortSignal,
  work: (finished: () => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(signal.reason);
  const finished = () => signal.removeEventListener('abort', onAbort);
  signal.addEventListener('abort', onAbort);
  try {
    work(finished).then(resolve, reject);
    return await promise;
  } finally {
    finished();
  }
}

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
  }
}
