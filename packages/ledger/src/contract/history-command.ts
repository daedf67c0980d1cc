/**
 * The commands of a random history. A command names an earlier request by the number of requests sent after it:
 * `back` 0 is the last one.
 */
import type { KillTarget, SettleRequest, StepRequest } from '@mandate/schemas';
import type { Adjustment, Approval } from '../port.ts';

type OutcomeCommand = Pick<SettleRequest, 'status' | 'actualMicros' | 'verified' | 'mayRelease'>;

type DecideCommand = Pick<
  StepRequest,
  'tenant' | 'agentId' | 'actionId' | 'attempt' | 'idempotencyKey' | 'digest'
> & {
  op: 'decide';
  deadlineInMs: number | null;
  /** How far the clock of the log is ahead. */
  aheadMs: number;
  /** The index of a plan of the history, modulo their number. */
  plan: number;
};

export type OperationCommand =
  | DecideCommand
  /** Sends that request again at another position, `later` attempts later. */
  | { op: 'ask-again'; back: number; later: number }
  | { op: 'report'; back: number; outcome: OutcomeCommand }
  | { op: 'report-unknown'; tenant: string; outcome: OutcomeCommand }
  /** Sends the same operation again, request or outcome, from the same position. */
  | { op: 'redeliver'; back: number };

export type Command =
  | { do: 'step'; operations: OperationCommand[] }
  /** Confirms operations sent so far: operation n if bit n modulo 8 of the mask is set. */
  | { do: 'confirm'; mask: number }
  | { do: 'pass'; ms: number }
  | { do: 'kill'; target: KillTarget; id: string; controlRevision: number }
  /** The revision, relative to the flag's. Below 1, a newer kill has overtaken the revive. */
  | { do: 'revive'; target: KillTarget; id: string; ahead: number }
  | { do: 'adjust'; adjustment: Omit<Adjustment, 'by' | 'reason'> }
  /** If `asks`, the agent asks again at once, if its request was deferred. */
  | {
      do: 'approve';
      id: string;
      back: number;
      answer: Approval['answer'];
      expiresInMs: number;
      asks: boolean;
    };

/** A few plans only, so that requests compete for the same limits. */
export type History = { plans: StepRequest['plan'][]; commands: Command[] };
