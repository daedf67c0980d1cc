/**
 * The port of the ledger: one atomic step for each request, and operators' commands. Every implementation passes
 * `contract.ts`, and ends equal to the reference model (`contract/model/`) under random histories.
 *
 * State and sequences are kept by tenant. A decision uses only the ledger's own clock, which never runs backwards.
 * All amounts are micro-dollars.
 */
import type {
  ActionReference,
  DecisionsHead,
  KillFact,
  KillTarget,
  LogPosition,
  Plan,
  SettleFacts,
  SettleRequest,
  StepFacts,
  StepRequest,
} from '@mandate/schemas';
import type { BudgetReference } from '@mandate/step';

export type { BudgetReference };

export type Operation = StepRequest | SettleRequest;

/**
 * The answer to one operation, at the same index in the batch.
 * - `decided`: the facts of the step, with their plan. For a redelivery, the stored facts and plan.
 * - `settled`: the effect of an outcome.
 * - `published`: a redelivery with a record that is known to be on the log, so there is nothing left to do.
 * - `replan`: the plan does not hold at `atMs`, and nothing happened. Every later operation of the same agent in the
 *   batch is answered `replan` as well, so that the agent's order is kept when they are sent again.
 */
export type StepResult =
  | { kind: 'decided'; plan: StepRequest['plan']; facts: StepFacts; redelivered: boolean }
  | { kind: 'settled'; facts: SettleFacts; redelivered: boolean }
  | { kind: 'published' }
  | { kind: 'replan'; atMs: number };

/**
 * The operator, the reason, and the id that makes a repeat harmless: within the replay memory the same id gets the
 * same answer and changes nothing. Ids are scoped by tenant. Ids of kills and revives are scoped by target, so that
 * no kill is taken for a repeat of another one.
 */
export type Command = { id: string; by: string; reason: string };

/**
 * `controlRevision`: how far the caller has read the control topic. An agent that leaves a family at a later revision
 * is still stopped with it. Absent: the caller has read nothing, so every agent that ever left the family is stopped.
 */
export type KillCommand = Command & { controlRevision?: number };

/** The ancestors of an agent, now and before. Both are absent if it has none, and never had. */
export type Ancestry = Pick<Plan, 'ancestors' | 'formerAncestors'>;

export type KillReceipt = {
  revision: number;
  /** For a family: the lowest `controlRevision` of its kills since the last revive. For any other target 0. */
  heldSince: number;
  /** By tenant: the sequence above which there is no ALLOW until a revive. */
  sequences: Readonly<Record<string, number>>;
  /** Every ALLOW of the target without an outcome and with a live lease: what may still run. */
  open: readonly ActionReference[];
};

export type Killed = KillReceipt & {
  /** True if the target's own flag is set. False for a repeated kill if the target was revived meanwhile. */
  stands: boolean;
};

export type KillStatus = {
  killed: KillFact | null;
  /**
   * When a flag that concerns the agent was last cleared, by the ledger's clock. Null if none ever was. Nothing is
   * allowed under a flag, so an ALLOW with an earlier time is also older than the kill.
   */
  revivedAtMs: number | null;
};

export type Adjustment = Command & { tenant: string; budget: BudgetReference; deltaMicros: number };

export type Approval = Command & {
  tenant: string;
  agentId: string;
  actionId: string;
  /** The digest of the exact request that was deferred. */
  digest: string;
  answer: 'granted' | 'denied';
  expiresAtMs: number;
};

/** The exact request that was deferred, among those of its agent. */
export type DeferralReference = Pick<Approval, 'actionId' | 'digest'>;

/** A question to a person: the exact request that was deferred. */
export type QuestionReference = Pick<Approval, 'tenant' | 'agentId' | 'actionId' | 'digest'>;

/**
 * The state of a question. `none`: the action was decided since, or the ledger remembers no such question. `expiresAtMs`:
 * when the grant ends; null in other states.
 */
export type Question = {
  state: 'none' | 'waiting' | 'granted' | 'denied' | 'expired';
  expiresAtMs: number | null;
};

/** The receipt of an adjustment or approval. */
export type Receipt = { epoch: string; sequence: number; atMs: number };

/** A counter and its present sum. */
export type Balance = { tenant: string; budget: BudgetReference; spentMicros: number };

export type OpenAction = ActionReference & {
  reservedMicros: number;
  decidedAtMs: number;
  leaseExpiresAtMs: number;
};

/** A charge, credit or settlement that the log does not have yet, as far as the ledger knows. */
export type Unpublished = {
  tenant: string;
  agentId: string;
  source: LogPosition;
  deltaMicros: number;
  /** The counters that contain the amount now. Windows that the amount has left are not among them. */
  budgets: readonly BudgetReference[];
};

export interface Ledger {
  /** The kind of store, as traces name it. */
  readonly system: 'redis' | 'memory';
  /** The epoch of the last rebuild. Decisions name it. A decision of another epoch is void. */
  readonly epoch: string;
  /** The generation that the log names for this epoch. 0 if it names none. */
  readonly generation: number;
  /** How long ids are remembered. No deadline is longer, so a later redelivery is too late. */
  readonly replayMemoryMs: number;

  /**
   * The atomic step, for a whole batch. Operations of one agent happen in the given order. Sequences within a tenant
   * are strictly increasing. Throws LEDGER_UNAVAILABLE (retryable) if nothing can be decided. If the batch is sent
   * again after that, its redeliveries are recognized.
   */
  step(batch: readonly Operation[]): Promise<readonly StepResult[]>;

  /**
   * Called after the log has acknowledged the decisions: counts them as published, and drops their plans. Throws
   * LEDGER_EPOCH_CHANGED if `epoch` is not the ledger's. Then the caller must not commit.
   */
  confirm(
    epoch: string,
    published: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[],
  ): Promise<void>;

  /** The flag is in force when this resolves. `open` lists every ALLOW that may still reach the log, or still run. */
  kill(target: KillTarget, command: KillCommand): Promise<Killed>;
  /**
   * Clears the flag if there is no newer kill. `revision` must be the one of `flag(target)`, read before the revive
   * was appended to the log, plus one. Returns whether the target's own flag is clear now. A `commandId` that revived
   * this target before changes nothing, so that a repeated command never clears a later kill.
   */
  revive(target: KillTarget, revision: number, commandId: string): Promise<boolean>;
  /**
   * Returns whether this very revive was carried out before, within the replay memory. Then the caller must append
   * nothing. Call it after `flag`. Otherwise a repeated revive could clear a kill that came in between.
   */
  revived(target: KillTarget, commandId: string): Promise<boolean>;
  /** Returns the target's own flag, without wider ones. Revision 0 if it never had one. */
  flag(target: KillTarget): Promise<{ killed: boolean; revision: number }>;
  /**
   * Returns the first flag that stops this agent, and when such a flag was last cleared. The flags are those of
   * everything, its tenant, its families, families that it left while they were killed, and its own.
   */
  killStatus(tenant: string, agentId: string, ancestry?: Ancestry): Promise<KillStatus>;
  /** Returns the flags in force of a tenant (`all` included), newest first. */
  killed(tenant: string): Promise<readonly (KillFact & { target: KillTarget })[]>;

  /** Throws ADJUSTMENT_TOO_LARGE if the counter could not hold the new sum exactly (2^53-1). */
  adjust(adjustment: Adjustment): Promise<Receipt & { spentMicros: number }>;
  /**
   * Answers a deferred request. Throws APPROVAL_NOT_FOUND if the newest remembered decision of the action is not about that
   * digest. Throws APPROVAL_NOT_WAITING if the action was already allowed or blocked for good.
   */
  approve(approval: Approval): Promise<Receipt & { expiresAtMs: number }>;
  /** Returns the state of a question to a person. It changes nothing. */
  question(question: QuestionReference): Promise<Question>;

  /**
   * Returns every lifetime and windowed counter of a tenant that is not zero, ordered by scope, subject, id, window.
   */
  balances(tenant: string): Promise<readonly Balance[]>;
  /**
   * Returns allowed actions that may still run (no outcome, lease alive) or are not on the log yet, the oldest first.
   */
  open(tenant: string, agentId?: string): Promise<readonly OpenAction[]>;
  /** Returns changes of the ledger that the log may not have yet: decided or settled, but not confirmed. */
  unpublished(tenant: string): Promise<readonly Unpublished[]>;
  tenants(): Promise<readonly string[]>;
  /** Returns the number of remembered deliveries of a tenant. Its plans limit this number by `maxRemembered`. */
  remembered(tenant: string): Promise<number>;
  /** Returns the used share of the ledger's memory, 0 to 1. Null if the memory has no limit. */
  usedShare(): Promise<number | null>;

  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The input of a fold: records of the decisions topic, each partition in order, with any interleaving of partitions.
 * `source` is the record's own position on the decisions topic. It decides which epoch is in force there.
 */
export type FoldInput = { source: { partition: number; offset: number }; record: DecisionsHead };
