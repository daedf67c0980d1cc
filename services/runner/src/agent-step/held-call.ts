/**
 * One call under the mandate of an agent, in the form in which the adapters of the SDK start it. The id of the call
 * follows from its place in the run. The outcome is reported only after the result is on the log. Otherwise a crash
 * between the two could lose the result, although the action counts as finished.
 */
import type { Agent, RunningAction, RunningOutcome } from '@mandate/sdk/plane';
import type { CallOutcome } from './call-event.ts';

/** Computes the possible or the actual cost of the call. */
type Estimate = (call: { inputTokens: number; maxOutputTokens: number; seconds: number }) => number;

type HeldOptions = {
  actionId: string;
  /** The price in the manifest. Null: it states none. */
  estimate: Estimate | null;
  /** Requests the call by calling `start`, perhaps more than once. */
  ask: (start: () => Promise<RunningAction>) => Promise<RunningAction>;
  /** The maximum time of the call. A price by the second reserves this time. */
  mostSeconds: number;
};

/** How long a finished call waits for the outcome from its adapter, which comes at the end of the answer's body. */
const OUTCOME_MS = 2_000;

export class HeldCall {
  /** The agent with which an adapter must start the call. */
  readonly agent: Agent;
  readonly #options: HeldOptions;
  #running: RunningAction | null = null;
  #outcome: RunningOutcome | null = null;
  #startedAtMs = 0;
  #told: () => void = () => {};

  constructor(agent: Agent, options: HeldOptions) {
    this.#options = options;
    this.agent = { ...agent, start: (call) => this.#start(agent, call) };
  }

  /** True after the call was allowed. */
  get wasAllowed(): boolean {
    return this.#running !== null;
  }

  get attempt(): number | null {
    return this.#running?.decision.attempt ?? null;
  }

  /** Returns the outcome that the adapter has stated. Null: it stated none in time. */
  async outcome(): Promise<CallOutcome | null> {
    if (this.#running !== null && this.#outcome === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, OUTCOME_MS);
        this.#told = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#outcome === null ? null : this.#priced(this.#outcome);
  }

  /**
   * Returns the outcome of a call that gave no usable answer, so that the call may be made again. For an adapter, a
   * lost answer is a success, because the provider may have billed it. Here such a call is a failure that costs its
   * reservation.
   */
  async lost(): Promise<CallOutcome | null> {
    const outcome = await this.outcome();
    if (outcome?.status !== 'success') return outcome;
    const reserved = this.#running?.decision.reservation?.micros ?? 0;
    const { usage, actualCostMicros = usage === undefined ? reserved : undefined } = outcome;
    return {
      status: 'failure',
      ...(usage && { usage }),
      ...(actualCostMicros !== undefined && { actualCostMicros }),
    };
  }

  /** Reports an outcome that `outcome` or `lost` returned. */
  async settle(outcome: CallOutcome | null): Promise<void> {
    const running = this.#running;
    if (running === null || outcome === null) return;
    this.#outcome = null;
    await running.settle(outcome);
  }

  async #start(agent: Agent, call: Parameters<Agent['start']>[0]): Promise<RunningAction> {
    // An adapter that retries after a failure first states the outcome of the failed attempt.
    await this.settle(this.#outcome === null ? null : await this.lost());
    const { actionId, estimate, ask, mostSeconds: seconds } = this.#options;
    const costs =
      estimate !== null && call.type === 'llm_call'
        ? estimate({
            inputTokens: call.inputTokens ?? 0,
            maxOutputTokens: call.maxOutputTokens ?? 0,
            seconds,
          })
        : undefined;
    const stated = {
      actionId,
      idempotencyKey: actionId,
      ...(costs !== undefined && { estimatedCostMicros: costs }),
    };
    const whole = { ...call, options: { ...call.options, ...stated } } as typeof call;
    const running = await ask(() => agent.start(whole));
    this.#running = running;
    this.#startedAtMs = performance.now();
    return {
      ...running,
      settle: async (outcome) => {
        this.#outcome ??= outcome;
        this.#told();
      },
    };
  }

  /** If the prices of the price list are higher, they count, so the plane uses the greater amount. */
  #priced(outcome: RunningOutcome): CallOutcome {
    const { estimate } = this.#options;
    const { status, usage, actualCostMicros } = outcome;
    const stated = {
      status,
      ...(usage && { usage }),
      ...(actualCostMicros !== undefined && { actualCostMicros }),
    };
    if (estimate === null || usage === undefined) return stated;
    const seconds = Math.ceil((performance.now() - this.#startedAtMs) / 1000);
    const { inputTokens, outputTokens: maxOutputTokens } = usage;
    return { ...stated, actualCostMicros: estimate({ inputTokens, maxOutputTokens, seconds }) };
  }
}
