/** Starts a call with its own signal, in addition to the signal of its caller. */
import { runUntilAborted } from '../bounded-wait.ts';
import type { Agent, Call, RunningAction } from '../types.ts';

/**
 * Returns the call that may run. After an abort it rejects with the reason of the signal, and the reservation of a
 * later decision is released.
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
