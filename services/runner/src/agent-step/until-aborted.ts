/** Ends the wait for some work when a signal aborts. */
import { setTimeout as wait } from 'node:timers/promises';

/** Resolves with the result of the work. Rejects with the reason of the signal if it aborts first. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    aborted.catch(() => {});
  }
}

/** Rejects with the reason of the signal if it aborts before the time is over. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return untilAborted(signal, () => wait(ms, undefined, { signal })).then(() => {});
}
