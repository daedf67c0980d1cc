/**
 * The results of an agent's step, and the interfaces that it needs. The service around it reads the step from a run,
 * appends the events of calls to the log, and decides what the run does next. step.ts has the input of the step.
 */
import type { Json } from '@mandate/schemas';
import type { Agent } from '@mandate/sdk/plane';
import type { ModelClients } from '../models/model-clients.ts';
import type { TokenWindows } from '../models/token-windows.ts';
import type { ToolServers } from '../tools/tool-servers.ts';
import type { CallEvent, CallOutcome } from './call-event.ts';

export type AgentStepResult =
  | { status: 'completed'; output: Json }
  | {
      status: 'failed';
      code: string;
      message: string;
      /**
       * `transient` and `soft block`: a further attempt may succeed, after `retryAfterMs` if it is stated. `permanent`
       * and `hard block`: no attempt can succeed.
       */
      kind: 'transient' | 'permanent' | 'soft block' | 'hard block';
      retryAfterMs?: number;
    }
  /**
   * People must answer. After one of them has answered, run the step again with its history. There is at least one
   * question.
   */
  | { status: 'deferred'; waiting: readonly WaitingCall[] }
  /**
   * The call may have had its effect, and the log has no result. A person must say whether it was done. If it was not
   * done, run the step again with a `call.resolved` at the end of its history.
   */
  | { status: 'uncertain'; actionId: string; tool: string; message: string }
  /** Another runner makes this call. Read the log again. */
  | { status: 'superseded'; actionId: string };

/** `tool` is null for a call of the model. `isExpired`: an earlier approval expired before it was used. */
export type WaitingCall = { approvalId: string; actionId: string; tool: string | null; isExpired?: true };

export type AgentStepDeps = {
  /** The mandate of an agent. Its calls already state `parentActionId`, and the principal and context of the run. */
  mandateFor(agentId: string): { agent(): Agent };
  models: ModelClients;
  /** Shared by all steps of the process. */
  tokenWindows: TokenWindows;
  toolServers: ToolServers;
  /** The decisions that earlier runners got. They are read only for calls of the history without a result. */
  attempts: Attempts;
  /**
   * Appends an event of a call to the log, and resolves once it is there. Rejects if another runner has the run. The
   * step appends one event at a time.
   */
  journal: { append(event: CallEvent): Promise<void> };
  /** Aborts the running calls. `runAgentStep` then rejects with the reason of the signal. */
  signal: AbortSignal;
  /** Is called with the text of the model while it arrives. Absent: the text is not streamed. */
  stream?(text: string): void;
};

/** The facts that a plane knows about an action. */
export type Attempts = {
  /** Returns the newest decision about the action. Null: there is none, or the gateway no longer has it. */
  find(agentId: string, actionId: string): Promise<EarlierAttempt | null>;
  /** Reports the outcome of an attempt that this process did not begin. The first outcome of an attempt counts. */
  report(outcomes: readonly EarlierOutcome[]): Promise<void>;
};

/** `mayHaveRun`: true after an ALLOW. `refused`: the decision was final, and its action can never be allowed. */
type EarlierAttempt = {
  attempt: number;
  mayHaveRun: boolean;
  reservedMicros: number;
  refused: { code: string; text: string } | null;
};

export type EarlierOutcome = CallOutcome & { agentId: string; actionId: string; attempt: number };
