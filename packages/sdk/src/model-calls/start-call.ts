/** Starts a model call, and stops waiting for the decision when the caller aborts. */
import type { Agent, Call, RunningAction } from '../types.ts';

/**
 * Returns the call that may run. After an abort it rejects with the reason of the signal, and a decision that comes
 * later is given back.
 *
 * @throws MandateBlockedError, MandateDeferredError, or the reason of the signal
 */
export async function startCall(
  agent: Pick<Agent, 'start'>,
  call: Call,
  abort: AbortSignal | null | undefined,
): Promise<RunningAction> {
  if (abort === null || abort === undefined) return agent.start(call);
  abort.throwIfAborted();
  const started = agent.start(call);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(abort.reason);
  abort.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([started, aborted]);
  } catch (error) {
    if (abort.aborted) started.then(({ settle }) => settle({ status: 'cancelled' })).catch(() => {});
    throw error;
  } finally {
    abort.removeEventListener('abort', onAbort);
  }
}
