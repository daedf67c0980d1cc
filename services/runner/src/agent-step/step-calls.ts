/** The calls of one agent in a step: what the log says about them, and what is appended to it. */
import type { BegunCall, CallAnswer, CallEvent, CallOutcome, Refused } from './call-event.ts';
import { callsIn, type KnownCall, unreportedOutcomes } from './history.ts';
import type { AgentStepDeps } from './port.ts';
import type { AgentStep } from './step.ts';
import { StepStopped } from './stopped.ts';

type Completed = { attempt: number | null; answer: CallAnswer; outcome: CallOutcome | null };

export class StepCalls {
  readonly #agentId: string;
  readonly #deps: Pick<AgentStepDeps, 'attempts' | 'journal'>;
  readonly #history: readonly CallEvent[];
  readonly #known: ReadonlyMap<string, KnownCall>;
  #appending: Promise<void> = Promise.resolve();

  constructor(
    { agentId, history }: Pick<AgentStep, 'agentId' | 'history'>,
    deps: Pick<AgentStepDeps, 'attempts' | 'journal'>,
  ) {
    this.#agentId = agentId;
    this.#deps = deps;
    this.#history = history;
    this.#known = callsIn(history, agentId);
  }

  /**
   * Returns the action of a call at this place in the step. A decision that is final stays so for its action. So after a
   * person's retry a refused call is another action.
   */
  idAt(place: string): string {
    let actionId = place;
    for (let retry = 1; this.#known.get(actionId)?.state === 'retried'; retry += 1)
      actionId = `${place}~${retry}`;
    return actionId;
  }

  known(actionId: string): KnownCall | null {
    return this.#known.get(actionId) ?? null;
  }

  begin(actionId: string, call: BegunCall): Promise<void> {
    return this.#append({ event: 'call.begun', actionId, agentId: this.#agentId, call });
  }

  complete(actionId: string, completed: Completed): Promise<void> {
    return this.#append({ event: 'call.completed', actionId, agentId: this.#agentId, ...completed });
  }

  /** The call was refused, so there is nothing to report. */
  refuse(actionId: string, answer: Refused): Promise<void> {
    return this.complete(actionId, { attempt: null, answer, outcome: null });
  }

  /** Reports the outcomes of calls that are completed on the log, if an earlier runner may have ended before it did. */
  async reportEarlier(): Promise<void> {
    const outcomes = unreportedOutcomes(this.#history, this.#agentId);
    if (outcomes.length > 0) await this.#deps.attempts.report(outcomes);
  }

  /**
   * Prepares a call that may have been made before, and returns the number of the attempt that may run now. The earlier
   * attempt of a call that may be repeated is reported as failed, so that the ledger allows the next one. If an earlier
   * runner was refused for good and ended before it noted that, returns the refusal.
   *
   * @throws StepStopped uncertain, if the call may have had an effect
   */
  async prepare(
    actionId: string,
    { tool, mayRepeat }: { tool: string | null; mayRepeat: boolean },
  ): Promise<number | Refused> {
    const known = this.known(actionId);
    if (known === null) return 1;
    const earlier = await this.#deps.attempts.find(this.#agentId, actionId);
    if (earlier === null) return 1;
    const { attempt, mayHaveRun, reservedMicros, refused } = earlier;
    if (refused !== null) return { type: 'refused', ...refused };
    if (!mayHaveRun) return attempt + 1;
    if (known.state === 'begun' && !mayRepeat) throw uncertain(actionId, tool);
    const isNotDone = known.state === 'not done';
    // The provider may have billed a call of a model that was interrupted.
    const billed = tool === null && known.state === 'begun' ? { actualCostMicros: reservedMicros } : {};
    const outcome: CallOutcome = { status: isNotDone ? 'cancelled' : 'failure', ...billed };
    await this.#deps.attempts.report([{ ...outcome, agentId: this.#agentId, actionId, attempt }]);
    return attempt + 1;
  }

  /** Appends one event at a time, because calls of one turn run together. */
  #append(event: CallEvent): Promise<void> {
    const appended = this.#appending.then(() => this.#deps.journal.append(event));
    this.#appending = appended.catch(() => {});
    return appended;
  }
}

export function uncertain(actionId: string, tool: string | null): StepStopped {
  const name = tool ?? 'the model';
  const message = `The call of ${name} began, and its result is not known. It may have had its effect.`;
  return new StepStopped({ status: 'uncertain', actionId, tool: name, message });
}
