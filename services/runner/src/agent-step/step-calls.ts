/** The calls of one agent in a step: their events on the log, and the events to append. */
import {
  type BlockCode,
  findMandateError,
  MandateBlockedError,
  type MandateDeferredError,
} from '@mandate/sdk/plane';
import type { BegunCall, CallAnswer, CallEvent, CallOutcome, Refused } from './call-event.ts';
import { callsIn, type KnownCall, unreportedOutcomes } from './history.ts';
import type { AgentStepDeps } from './port.ts';
import type { AgentStep } from './step.ts';
import { StepStopped } from './stopped.ts';

/** `tool` is null for a call of the model. */
type Repeating = { tool: string | null; mayRepeat: boolean };

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
   * Returns the action of a call at this place in the step. A final decision applies to its action permanently. So
   * after a person's retry, a refused call is another action.
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

  /**
   * Reports the outcomes of calls that are completed on the log, because an earlier runner may have ended before it
   * reported them.
   */
  async reportEarlier(): Promise<void> {
    const known = await Promise.all(
      unreportedOutcomes(this.#history, this.#agentId).map(async (outcome) => {
        const attempt = outcome.attempt ?? (await this.#openAttempt(outcome.actionId));
        return attempt === null ? [] : [{ ...outcome, attempt }];
      }),
    );
    const outcomes = known.flat();
    if (outcomes.length > 0) await this.#deps.attempts.report(outcomes);
  }

  /**
   * Prepares a call that may have been made before, and returns the number of the attempt that may run now. The earlier
   * attempt of a call that may be repeated is reported as failed, so that the ledger allows the next one. If an earlier
   * runner was finally refused, and ended before it recorded the refusal, returns the refusal.
   *
   * @throws StepStopped uncertain, if the call may have had an effect
   */
  async prepare(actionId: string, how: Repeating): Promise<number | Refused> {
    const known = this.known(actionId);
    if (known === null) return 1;
    const earlier = await this.#deps.attempts.find(this.#agentId, actionId);
    if (earlier === null) return 1;
    if (earlier.refused !== null) return { type: 'refused', ...earlier.refused };
    if (earlier.mayHaveRun) await this.#giveUp(actionId, known, earlier, how);
    return earlier.attempt + 1;
  }

  /**
   * Requests a call. A gateway keeps only the newest decisions since its start. So `prepare` may miss the attempt of an
   * earlier runner. The ledger knows the attempt, and refuses the call as a duplicate. Then the earlier attempt is
   * given up, and the call is requested again.
   *
   * @throws StepStopped uncertain, or the error of `start`
   */
  async ask<T>(actionId: string, how: Repeating, start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      const known = this.known(actionId);
      const refused = findMandateError(error);
      const first = refused?.code === 'DUPLICATE_ACTION' ? refused.decision?.duplicateOf : null;
      if (known === null || refused === null || !first?.samePayload || first.actionId !== actionId)
        throw error;
      const { attempt, verdict, code } = first;
      if (verdict === 'BLOCK') throw refusedBefore(refused, code as BlockCode);
      if (verdict !== 'ALLOW') throw error;
      await this.#giveUp(actionId, known, { attempt, reservedMicros: null }, how);
      return start();
    }
  }

  /**
   * Returns the attempt that was allowed. Null if the plane no longer knows it: then the attempt ends with its lease.
   */
  async #openAttempt(actionId: string): Promise<number | null> {
    const earlier = await this.#deps.attempts.find(this.#agentId, actionId);
    return earlier?.mayHaveRun === true ? earlier.attempt : null;
  }

  /** @throws StepStopped uncertain, if the call may have had an effect */
  async #giveUp(
    actionId: string,
    { state, call }: KnownCall,
    { attempt, reservedMicros }: { attempt: number; reservedMicros: number | null },
    { tool, mayRepeat }: Repeating,
  ): Promise<void> {
    if (state === 'begun' && !mayRepeat) throw uncertain(actionId, tool);
    const status = state === 'not done' ? 'cancelled' : 'failure';
    // The provider may have billed a call of a model that was interrupted.
    const billed = state === 'begun' && call.type === 'model' ? mostOf(call, reservedMicros) : {};
    await this.#deps.attempts.report([{ status, ...billed, agentId: this.#agentId, actionId, attempt }]);
  }

  /** Appends one event at a time, because the calls of one turn run at the same time. */
  #append(event: CallEvent): Promise<void> {
    const appended = this.#appending.then(() => this.#deps.journal.append(event));
    this.#appending = appended.catch(() => {});
    return appended;
  }
}

/** Returns the highest possible cost of the call: its reservation, otherwise all requested tokens. */
function mostOf(
  { inputTokens, maxOutputTokens: outputTokens }: Extract<BegunCall, { type: 'model' }>,
  reservedMicros: number | null,
): Omit<CallOutcome, 'status'> {
  return reservedMicros === null
    ? { usage: { inputTokens, outputTokens } }
    : { actualCostMicros: reservedMicros };
}

function refusedBefore(
  { action, decision, remedy }: MandateBlockedError | MandateDeferredError,
  code: BlockCode,
): MandateBlockedError {
  const reason = 'An earlier runner was refused this call.';
  return new MandateBlockedError(code, { reason, remedy, action, decision });
}

export function uncertain(actionId: string, tool: string | null): StepStopped {
  const name = tool ?? 'the model';
  const message = `The call of ${name} began, and its result is not known. It may have had its effect.`;
  return new StepStopped({ status: 'uncertain', actionId, tool: name, message });
}
