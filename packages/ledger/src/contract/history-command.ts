/** What a random history is made of. Commands name earlier requests by how many were sent since: `back` 0 is the last. */
import type { KillTarget, SettleRequest, StepRequest } from '@mandate/schemas';
import type { Adjustment, Approval } from '../port.ts';

type OutcomeCommand = Pick<SettleRequest, 'status' | 'actualMicros' | 'verified' | 'mayRelease'>;

type DecideCommand = Pick<
  StepRequest,
  'tenant' | 'agentId' | 'actionId' | 'attempt' | 'idempotencyKey' | 'digest'
> & {
  op: 'decide';
  deadlineInMs: number | null;
  /** By how much the clock of the log is ahead. */
  aheadMs: number;
  /** Which of the history's plans, counted round. */
  plan: number;
};

export type OperationCommand =
  | DecideCommand
  /** That request under another position, some attempts later. */
  | { op: 'ask-again'; back: number; later: number }
  | { op: 'report'; back: number; outcome: OutcomeCommand }
  | { op: 'report-unknown'; tenant: string; outcome: OutcomeCommand }
  /** The very operation, request or outcome, sent so many before. */
  | { op: 'redeliver'; back: number };

export type Command =
  | { do: 'step'; operations: OperationCommand[] }
  /** Each of the operations sent so far with its number, in a circle of eight, in the mask. */
  | { do: 'confirm'; mask: number }
  | { do: 'pass'; ms: number }
  | { do: 'kill'; target: KillTarget; id: string; controlRevision: number }
  /** `ahead` of the flag's revision: below 1, it has been overtaken. */
  | { do: 'revive'; target: KillTarget; id: string; ahead: number }
  | { do: 'adjust'; adjustment: Omit<Adjustment, 'by' | 'reason'> }
  /** `asks`: the agent asks again at once if it was deferred. */
  | {
      do: 'approve';
      id: string;
      back: number;
      answer: Approval['answer'];
      expiresInMs: number;
      asks: boolean;
    };

/** A few plans only, so that requests meet at their limits. */
export type History = { plans: StepRequest['plan'][]; commands: Command[] };
