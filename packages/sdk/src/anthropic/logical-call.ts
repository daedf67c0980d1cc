/**
 * One logical call of a client: an action that all HTTP attempts of the call share. A failed attempt does not settle the
 * action while the SDK may try again.
 */
import type { RunningAction, RunningOutcome } from '../types.ts';

type State =
  /** No attempt runs. A decision is needed about a new action, or about the next attempt of the failed action. */
  | { at: 'rest'; failedActionId: string | null }
  | { at: 'running' }
  /** The last attempt failed, and the SDK may try again. */
  | { at: 'waiting'; running: RunningAction; timer: ReturnType<typeof setTimeout> };

export class LogicalCall {
  #state: State = { at: 'rest', failedActionId: null };
  /** The input tokens of attempts that reached the model, but got no answer. The provider may bill them. */
  #lostInputTokens = 0;

  /** True while an attempt runs. If a second attempt begins at the same time, it is a separate call. */
  get isRunning(): boolean {
    return this.#state.at === 'running';
  }

  /**
   * Returns the action for the next attempt. `start` is called if there is none, with the id of the action if an
   * earlier attempt has finally failed.
   */
  async attempt(start: (actionId: string | undefined) => Promise<RunningAction>): Promise<RunningAction> {
    const before = this.#state;
    this.#state = { at: 'running' };
    if (before.at === 'waiting') {
      clearTimeout(before.timer);
      return before.running;
    }
    const failedActionId = before.at === 'rest' ? before.failedActionId : null;
    try {
      return await start(failedActionId ?? undefined);
    } catch (error) {
      this.#state = { at: 'rest', failedActionId };
      throw error;
    }
  }

  /** Settles the action. */
  async end(running: RunningAction, outcome: RunningOutcome): Promise<void> {
    const failedActionId = outcome.status === 'failure' ? running.action.id : null;
    this.#state = { at: 'rest', failedActionId };
    const whole = this.#withLostInput(outcome);
    this.#lostInputTokens = 0;
    await running.settle(whole);
  }

  /** Settles the action with this outcome if no other attempt begins within the time. */
  wait(running: RunningAction, outcome: RunningOutcome, latestMs: number): void {
    this.#lostInputTokens += outcome.usage?.inputTokens ?? 0;
    const timer = setTimeout(() => this.end(running, { status: outcome.status }), latestMs);
    (timer as { unref?(): void }).unref?.();
    this.#state = { at: 'waiting', running, timer };
  }

  /** A whole answer without usage keeps its reservation charged, which is more than the lost input. */
  #withLostInput(outcome: RunningOutcome): RunningOutcome {
    const { status, usage } = outcome;
    if (this.#lostInputTokens === 0 || (usage === undefined && status !== 'failure')) return outcome;
    const { inputTokens, ...others } = usage ?? { inputTokens: 0, outputTokens: 0 };
    return { ...outcome, usage: { ...others, inputTokens: inputTokens + this.#lostInputTokens } };
  }
}
