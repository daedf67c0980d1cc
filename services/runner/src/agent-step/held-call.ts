/**
 * One call under the mandate of an agent, as the adapters of the SDK start it. The call gets the id that its place in the
 * run gives it. Its outcome is held back until the result is on the log: after a crash between the two, the result must
 * not be lost while the action counts as finished.
 */
import type { Agent, RunningAction, RunningOutcome } from '@mandate/sdk/plane';
import type { CallOutcome } from './call-event.ts';

/** Computes what the call may cost, or has cost. */
type Estimate = (call: { inputTokens: number; maxOutputTokens: number; seconds: number }) => number;

type HeldOptions = {
  actionId: string;
  /** The price of the manifest. Null: it has none. */
  estimate: Estimate | null;
  /** Asks for the call by calling `start`, perhaps more than once. */
  ask: (start: () => Promise<RunningAction>) => Promise<RunningAction>;
  /** How long the call may take. A price by the second reserves this time. */
  mostSeconds: number;
};

/** How long a finished call waits for the outcome from its adapter, which ends with the body of the answer. */
const OUTCOME_MS = 2_000;

export class HeldCall {
  /** The agent that an adapter must start the call with. */
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

  /** True once the call was allowed. */
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
   * Returns the outcome of a call that gave no usable answer, so that the call may be made again. An adapter calls an
   * answer that was lost a success, because the provider may have billed it. Here such a call is a failure that costs
   * what was reserved.
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
    // An adapter that tries again after a failure states the outcome of the failed attempt first.
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

  /** The kept prices count where they are higher, so the plane takes the greater amount. */
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
