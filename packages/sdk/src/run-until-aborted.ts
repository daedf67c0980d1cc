/** Ends a wait at once when it is aborted, even if what it waits for does not listen to the signal. */
import type { Agent, Call, RunningAction } from '../types.ts';

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

/**
 * Returns the call that may run. After an abort it rejects with the reason of the signal, and a decision that comes
 * later is given back.
 *
 * @throws MandateBlockedError, MandateDeferredError, or the reason of the signal
 */
export async function startCall(
  agent: Agent,
  call: Call,
  abort: AbortSignal | null | undefined,
): Promise<RunningAction> {
  if (abort === null || abort === undefined) return agent.start(call);
  let giveBack = () => {};
  try {
    return await runUntilAborted(abort, () => {
      const started = agent.start(call);
      // A call that was refused has no reservation.
      giveBack = () => void started.then(({ settle }) => settle({ status: 'cancelled' })).catch(() => {});
      return started;
    });
  } catch (error) {
    giveBack();
    throw error;
  }
}
