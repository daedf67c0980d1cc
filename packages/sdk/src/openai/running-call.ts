/**
 * One call of the caller, with all its attempts. OpenAI's SDK sends a request again after an error, and all attempts
 * together are one action with one reservation.
 */
import { tokensOfBytes } from '../model-calls/estimate-tokens.ts';
import type { RunningAction, TokenUsage } from '../types.ts';
import type { PlannedCall } from './plan-call.ts';

export class RunningCall {
  readonly planned: PlannedCall;
  readonly action: RunningAction;
  readonly callerSignal: AbortSignal | null;
  #attempts = 0;
  #unanswered = 0;

  constructor(planned: PlannedCall, action: RunningAction, callerSignal: AbortSignal | null) {
    this.planned = planned;
    this.action = action;
    this.callerSignal = callerSignal;
  }

  attempted(): void {
    this.#attempts += 1;
  }

  /** An attempt reached the provider, and its reply is lost. The provider may have billed it. */
  unanswered(): void {
    this.#unanswered += 1;
  }

  /** The reply has ended. Without usage the reservation stays charged. */
  async finished(usage: TokenUsage | null): Promise<void> {
    // Each lost attempt has at least sent its input.
    const lost = this.#unanswered * this.planned.inputTokens;
    await this.action.settle(
      usage === null
        ? { status: 'success' }
        : { status: 'success', usage: { ...usage, inputTokens: usage.inputTokens + lost } },
    );
  }

  /** The reply ended early. The provider bills the whole input, and what it has written. */
  cutOff(deliveredBytes: number): Promise<void> {
    const { inputTokens } = this.planned;
    return this.finished({ inputTokens, outputTokens: tokensOfBytes(deliveredBytes) });
  }

  /** No attempt was answered with success, and there will be no further one. */
  async failed(): Promise<void> {
    if (this.#attempts === 0) await this.action.settle({ status: 'cancelled' });
    else if (this.#unanswered > 0) await this.finished(null);
    else await this.action.settle({ status: 'failure' });
  }
}
