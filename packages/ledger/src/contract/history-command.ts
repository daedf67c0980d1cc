/**
 * The commands of a random history. A command refers to an earlier request by the number of later requests: `back` 0
 * is the last one.
 */
import type { KillTarget, SettleRequest, StepRequest } from '@mandate/schemas';
import type { Adjustment, Approval } from '../port.ts';

type OutcomeCommand = Pick<SettleRequest, 'status' | 'actualMicros' | 'usage' | 'verified' | 'mayRelease'>;

type DecideCommand = Pick<
  StepRequest,
  'tenant' | 'agentId' | 'actionId' | 'attempt' | 'idempotencyKey' | 'digest'
> & {
  op: 'decide';
  deadlineInMs: number | null;
  /** Milliseconds by which the clock of the log is fast. */
  aheadMs: number;
  /** The number of a plan of the history, modulo the number of plans. */
  plan: number;
};

export type OperationCommand =
  | DecideCommand
  /** Sends an earlier request again at another position. Its attempt number is higher by `later`. */
  | { op: 'ask-again'; back: number; later: number }
  | { op: 'report'; back: number; outcome: OutcomeCommand }
  | { op: 'report-unknown'; tenant: string; outcome: OutcomeCommand }
  /** Sends an earlier request or outcome again, from the same position. */
  | { op: 'redeliver'; back: number };

export type Command =
  | { do: 'step'; operations: OperationCommand[] }
  /** Confirms some of the operations sent so far: operation n if bit n modulo 8 of the mask is set. */
  | { do: 'confirm'; mask: number }
  | { do: 'pass'; ms: number }
  | { do: 'kill'; target: KillTarget; id: string; controlRevision: number }
  /** `ahead`: the revision minus the flag's revision. Below 1, a newer kill has overtaken the revive. */
  | { do: 'revive'; target: KillTarget; id: string; ahead: number }
  | { do: 'adjust'; adjustment: Omit<Adjustment, 'by' | 'reason'> }
  /** If `asks` is true and the request was deferred, the agent asks again at once. */
  | {
      do: 'approve';
      id: string;
      back: number;
      answer: Approval['answer'];
      expiresInMs: number;
      asks: boolean;
    };

/** A history has only a few plans, so that requests compete for the same limits. */
export type History = { plans: StepRequest['plan'][]; commands: Command[] };
