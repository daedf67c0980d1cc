/**
 * One call of the caller, with all its attempts. OpenAI's SDK sends a request again after an error, and all attempts
 * together are one action with one reservation.
 */
import { type AnswerEnd, type Delivery, outcomeOfDelivery } from '../adapters/outcome-of-delivery.ts';
import type { RunningAction } from '../types.ts';
import type { PlannedCall } from './plan-call.ts';

/** The part of a plan that the outcome and the watchers of a reply need. */
export type PlannedReply = Pick<PlannedCall, 'inputTokens' | 'isStream' | 'hidesUsage'>;

export class RunningCall<Planned extends PlannedReply = PlannedCall> {
  readonly planned: Planned;
  readonly action: RunningAction;
  readonly callerSignal: AbortSignal | null;
  #attempts = 0;
  #unanswered = 0;

  constructor(planned: Planned, action: RunningAction, callerSignal: AbortSignal | null) {
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

  /** Called when the reply has ended. Each lost attempt has at least sent its input. */
  async answered(end: AnswerEnd, delivery: Delivery): Promise<void> {
    const { inputTokens } = this.planned;
    const outcome = outcomeOfDelivery(end, delivery, inputTokens);
    const { usage } = outcome;
    const lost = this.#unanswered * inputTokens;
    await this.action.settle(
      usage === undefined
        ? outcome
        : { ...outcome, usage: { ...usage, inputTokens: usage.inputTokens + lost } },
    );
  }

  /** No attempt succeeded, and no further attempt follows. */
  async failed(): Promise<void> {
    if (this.#attempts === 0) await this.action.settle({ status: 'cancelled' });
    // The provider may have billed a reply that was lost, so the reservation stays charged.
    else if (this.#unanswered > 0) await this.action.settle({ status: 'success' });
    else await this.action.settle({ status: 'failure' });
  }
}
