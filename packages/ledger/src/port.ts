/**
 * The port of the ledger: one atomic step for each request, and operators' commands. Every implementation passes
 * `contract.ts`, and ends in the same state as the reference model (`contract/model/`) after random histories.
 *
 * State and sequences are separate for each tenant. A decision uses only the ledger's own clock, which never runs
 * backwards. An amount of a counter is in its unit: micro-dollars, or the `unit` of its reference.
 */
import type {
  DecisionsHead,
  KillFact,
  KillTarget,
  LogPosition,
  OpenAction,
  Plan,
  SettleFacts,
  SettleRequest,
  StepFacts,
  StepRequest,
} from '@mandate/schemas';
import type { BudgetReference } from '@mandate/step';

export type { BudgetReference, OpenAction };

export type Operation = StepRequest | SettleRequest;

/**
 * The answer to one operation, at the same index in the batch.
 * - `decided`: the facts of the step, with their plan. For a redelivery, the stored facts and plan.
 * - `settled`: the effect of an outcome.
 * - `published`: a redelivery whose record is already on the log, so there is nothing left to do.
 * - `replan`: the plan is not valid at `atMs`, and nothing happened. Every later operation of the same agent in the
 *   batch also gets `replan`, so that the operations keep their order when they are sent again.
 */
export type StepResult =
  | { kind: 'decided'; plan: StepRequest['plan']; facts: StepFacts; redelivered: boolean }
  | { kind: 'settled'; facts: SettleFacts; redelivered: boolean }
  | { kind: 'published' }
  | { kind: 'replan'; atMs: number };

/**
 * The operator, the reason, and an id that makes a repeat safe: within the replay memory the same id gets the same
 * answer and changes nothing. Ids are separate for each tenant. Ids of kills and revives are also separate for each
 * target, so that a new kill never looks like a repeat of another kill.
 */
export type Command = { id: string; by: string; reason: string };

/**
 * `controlRevision`: the last revision of the control topic that the caller has read. An agent that leaves a subtree
 * at a later revision is still stopped with the subtree. If absent, every agent that ever left the subtree is stopped.
 */
export type KillCommand = Command & { controlRevision?: number };

/** The ancestors of an agent, current and former. Both fields are absent if the agent never had ancestors. */
export type Ancestry = Pick<Plan, 'ancestors' | 'formerAncestors'>;

export type KillReceipt = {
  revision: number;
  /** For a subtree: the lowest `controlRevision` of its kills since the last revive. 0 for other targets. */
  heldSince: number;
  /** For each tenant, the sequence of the kill. No ALLOW has a higher sequence until a revive. */
  sequences: Readonly<Record<string, number>>;
  /**
   * Every ALLOW of the target that may still run (no outcome, and its lease has not ended), or that may still reach
   * the log.
   */
  open: readonly OpenAction[];
};

export type Killed = KillReceipt & {
  /**
   * True if the target's own flag is set. False for a repeated kill if the target was revived after the first kill.
   */
  stands: boolean;
};

export type KillStatus = {
  killed: KillFact | null;
  /**
   * When a flag for this agent was last cleared, on the ledger's clock. Null if no flag was cleared. Nothing is
   * allowed under a flag. So an ALLOW with an earlier time is also older than the kill.
   */
  revivedAtMs: number | null;
};

/** A flag that is set, and the kill that set it. */
export type KillInForce = KillFact & {
  target: KillTarget;
  /** When the flag was set last, on the ledger's clock. */
  atMs: number;
  /** The id of the command. Null, as `by`, if an older program set the flag. */
  commandId: string | null;
  by: string | null;
  /**
   * The sequence of the kill in its tenant. Until a revive, no ALLOW of the target has a higher sequence. Null if the
   * kill is of all tenants, or if the ledger has not carried it out yet.
   */
  sequence: number | null;
};

export type Adjustment = Command & { tenant: string; budget: BudgetReference; delta: number };

export type Approval = Command & {
  tenant: string;
  agentId: string;
  actionId: string;
  /** The digest of the request that was deferred. */
  digest: string;
  answer: 'granted' | 'denied';
  expiresAtMs: number;
};

/** Identifies a deferred request among the requests of its agent. */
export type DeferralReference = Pick<Approval, 'actionId' | 'digest'>;

/** Identifies a question to a person, by the exact request that was deferred. */
export type QuestionReference = Pick<Approval, 'tenant' | 'agentId' | 'actionId' | 'digest'>;

/**
 * The state of a question. `none`: the action was decided later, or the ledger remembers no such question.
 * `expiresAtMs`: when the grant ends. Null in other states.
 */
export type Question = {
  state: 'none' | 'waiting' | 'granted' | 'denied' | 'expired';
  expiresAtMs: number | null;
};

/** The receipt of an adjustment or approval. */
export type Receipt = { epoch: string; sequence: number; atMs: number };

/** A counter and its current sum. */
export type Balance = { tenant: string; budget: BudgetReference; spent: number };

/** A charge, credit or settlement that may not be on the log yet. */
export type Unpublished = {
  tenant: string;
  agentId: string;
  source: LogPosition;
  delta: number;
  /** The counters that contain the amount now. Windows that the amount has left are not included. */
  budgets: readonly BudgetReference[];
};

export interface Ledger {
  /** The kind of store. Traces contain this name. */
  readonly system: 'redis' | 'memory';
  /** The epoch of the last rebuild. Decisions contain it. A decision of another epoch is void. */
  readonly epoch: string;
  /** The generation of this epoch on the log. 0 if it has none. */
  readonly generation: number;
  /**
   * How long ids are remembered, in milliseconds. No deadline is longer, so a later redelivery is after its deadline.
   */
  readonly replayMemoryMs: number;

  /**
   * Runs the atomic step for a whole batch. Operations of one agent run in the given order. Sequences within a tenant
   * are strictly increasing. Throws LEDGER_UNAVAILABLE (retryable) if nothing can be decided. If the batch is sent
   * again, the ledger recognizes its redeliveries.
   */
  step(batch: readonly Operation[]): Promise<readonly StepResult[]>;

  /**
   * Marks decisions as published and drops their plans. Call it after the log has acknowledged the decisions. Throws
   * LEDGER_EPOCH_CHANGED if `epoch` is not the ledger's. Then the caller must not commit.
   */
  confirm(
    epoch: string,
    published: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[],
  ): Promise<void>;

  /**
   * Sets the flag. The flag is in force when the promise resolves. `open` lists every ALLOW that may still run, or
   * that may still reach the log.
   */
  kill(target: KillTarget, command: KillCommand): Promise<Killed>;
  /**
   * Clears the flag if there is no newer kill. `revision` must be the revision of `flag(target)` plus one, read
   * before the revive was appended to the log. Returns whether the target's own flag is clear now. A `commandId` that
   * already revived this target changes nothing, so a repeated command never clears a later kill.
   */
  revive(target: KillTarget, revision: number, commandId: string): Promise<boolean>;
  /**
   * Returns whether this revive was already carried out within the replay memory. Then the caller must append
   * nothing. Call it after `flag`. Otherwise a repeated revive could clear a kill that came in between.
   */
  revived(target: KillTarget, commandId: string): Promise<boolean>;
  /** Returns the target's own flag, without flags of wider scope. Revision 0 if it never had a flag. */
  flag(target: KillTarget): Promise<{ killed: boolean; revision: number }>;
  /**
   * Returns the widest flag that stops this agent, and when such a flag was last cleared. The flags of these targets
   * are checked: everything, its tenant, the subtrees that contain it, subtrees that it left while they were killed, and the agent
   * itself.
   */
  killStatus(tenant: string, agentId: string, ancestry?: Ancestry): Promise<KillStatus>;
  /** Returns the flags in force for a tenant, including `all`, newest first. */
  killed(tenant: string): Promise<readonly KillInForce[]>;

  /** Adjusts a counter. Throws ADJUSTMENT_TOO_LARGE if the counter cannot store the new sum exactly (2^53-1). */
  adjust(adjustment: Adjustment): Promise<Receipt & { spent: number }>;
  /**
   * Stores an answer to a deferred request. Throws APPROVAL_NOT_FOUND if the newest remembered decision of the action
   * has another digest. Throws APPROVAL_NOT_WAITING if the action was already allowed or finally blocked.
   */
  approve(approval: Approval): Promise<Receipt & { expiresAtMs: number }>;
  /** Returns the state of a question to a person. Changes nothing. */
  question(question: QuestionReference): Promise<Question>;
  /** Returns how many deferred actions of a tenant wait for a person: nobody has answered. */
  waiting(tenant: string): Promise<number>;

  /**
   * Returns every lifetime and windowed counter of a tenant that is not zero, in the order of scope, subject, id,
   * window. Counters in other units come after counters of money with the same name.
   */
  balances(tenant: string): Promise<readonly Balance[]>;
  /** Returns the sum of each of these counters, in their order. 0 for a counter that was never charged. */
  spent(tenant: string, budgets: readonly BudgetReference[]): Promise<readonly number[]>;
  /**
   * Returns allowed actions that may still run (no outcome, lease not ended) or are not on the log yet, oldest first.
   */
  open(tenant: string, agentId?: string): Promise<readonly OpenAction[]>;
  /** Returns changes of the ledger that may not be on the log yet: decided or settled, but not confirmed. */
  unpublished(tenant: string): Promise<readonly Unpublished[]>;
  tenants(): Promise<readonly string[]>;
  /** Returns the number of remembered deliveries of a tenant. `maxRemembered` in its requests limits this number. */
  remembered(tenant: string): Promise<number>;
  /** Returns the used share of the ledger's memory, 0 to 1. Null if the memory has no limit. */
  usedShare(): Promise<number | null>;

  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The input of a fold: records of the decisions topic. Each partition is in order, and partitions may be mixed in any
 * way. `source` is the record's own position on the decisions topic. The position decides which epoch is in force.
 */
export type FoldInput = { source: { partition: number; offset: number }; record: DecisionsHead };
