/**
 * The port of the ledger: one atomic step a request, and what operators do. Every implementation passes
 * `contract.ts` and ends equal to the reference model (`contract/model/`) under random histories.
 *
 * State is kept by tenant; a sequence counts within a tenant; a clock that never runs backwards is the only clock of
 * a decision. All amounts are micro-dollars.
 */
import type {
  ActionReference,
  DecisionsHead,
  KillFact,
  KillTarget,
  Plan,
  SettleFacts,
  SettleRequest,
  Source,
  StepFacts,
  StepRequest,
} from '@mandate/schemas';
import type { BudgetReference } from '@mandate/step';

export type { BudgetReference };

export type Operation = StepRequest | SettleRequest;

/**
 * The answer to one operation, at the same place in the batch.
 * - `decided`: what the step found, with the plan that it was found under: after a redelivery, the stored one.
 * - `settled`: what an outcome did.
 * - `published`: a redelivery of a request or outcome that is known to have its record on the log: nothing is left to do.
 * - `replan`: the plan does not hold at `atMs`; nothing happened. Every later operation of the same agent in the
 *   batch is answered `replan` as well, so that the order of an agent is kept when they are sent again.
 */
export type StepResult =
  | { kind: 'decided'; plan: StepRequest['plan']; facts: StepFacts; redelivered: boolean }
  | { kind: 'settled'; facts: SettleFacts; redelivered: boolean }
  | { kind: 'published' }
  | { kind: 'replan'; atMs: number };

/**
 * Who does it, why, and the id that makes a repeat harmless: within the replay memory the same id again answers the same
 * and changes nothing. Ids are told apart by tenant; those of a kill or revive by its target, so that none fails to stop.
 */
export type Command = { id: string; by: string; reason: string };

/**
 * `controlRevision`: how much of the control topic was read by the caller. An agent that leaves a family at a later
 * revision is still stopped with it. Absent: nothing was read, so every agent that ever left the family is stopped.
 */
export type KillCommand = Command & { controlRevision?: number };

/** The ancestors of an agent, now and before. Both may be absent: it has none, and never had. */
export type Standing = Pick<Plan, 'above' | 'formerAncestors'>;

export type KillReceipt = {
  revision: number;
  /** For a family the lowest `controlRevision` of its kills since it was last revived; for any other target 0. */
  heldSince: number;
  /** By tenant: no ALLOW carries a higher sequence until a revive. */
  sequences: Readonly<Record<string, number>>;
  /** Every ALLOW of the target that has no outcome and a live lease: what may still run. */
  open: readonly ActionReference[];
};

export type Killed = KillReceipt & {
  /** Whether the target's own flag stands: not where the same kill comes again, and the target was revived since. */
  stands: boolean;
};

export type KillStatus = {
  killed: KillFact | null;
  /**
   * When a flag that concerns the agent was last released, by the ledger's clock; null where none ever was. Nothing is
   * allowed under a flag, so an ALLOW of an earlier time is older than the kill too.
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

/** What an adjustment or approval left behind. */
export type Receipt = { epoch: string; sequence: number; atMs: number };

/** A counter and what it holds now. */
export type Balance = { tenant: string; budget: BudgetReference; spentMicros: number };

export type OpenAction = ActionReference & {
  reservedMicros: number;
  decidedAtMs: number;
  leaseExpiresAtMs: number;
};

/** A charge, credit or settlement that the log does not hold yet, as far as the ledger knows. */
export type Unpublished = {
  tenant: string;
  agentId: string;
  source: Source;
  deltaMicros: number;
  /** The counters that hold the amount now, without counters that it left with their window. */
  budgets: readonly BudgetReference[];
};

export interface Ledger {
  /** Where the state is kept, as traces name it. */
  readonly system: 'redis' | 'memory';
  /** The epoch of the last rebuild. Decisions carry it; a decision of another epoch is void. */
  readonly epoch: string;
  /** That the log names for this epoch; 0 where it names none. */
  readonly generation: number;
  /** For how long ids are remembered. No deadline is longer: what comes again after that comes too late. */
  readonly replayMemoryMs: number;

  /**
   * The atomic step, for a whole batch: operations of one agent happen in the order given. Sequences within a tenant
   * are strictly increasing. Throws LEDGER_UNAVAILABLE (retryable) when nothing can be decided; a batch that is sent
   * again after that finds its redeliveries.
   */
  step(batch: readonly Operation[]): Promise<readonly StepResult[]>;

  /**
   * After the decisions are acknowledged by the log: forgets their plans and counts them as published. Throws
   * LEDGER_EPOCH_CHANGED when `epoch` is not the ledger's: then the caller must not commit.
   */
  confirm(
    epoch: string,
    published: readonly Pick<Operation, 'tenant' | 'agentId' | 'source'>[],
  ): Promise<void>;

  /** The flag is in force when this resolves; `open` is every ALLOW that can still reach the log or still runs. */
  kill(target: KillTarget, command: KillCommand): Promise<Killed>;
  /**
   * Clears the flag if no newer kill stands: `revision` is that of `flag(target)` before the revive was appended to the
   * log, plus one. Answers whether the target's own flag is clear now. A `commandId` that revived this target before
   * changes nothing, so that a repeated command never clears a later kill.
   */
  revive(target: KillTarget, revision: number, commandId: string): Promise<boolean>;
  /**
   * Whether this very revive was carried out before, within the replay memory: then nothing is to be appended. Ask it
   * after `flag`, so that no kill that comes between two of the same revive is cleared by the second.
   */
  revived(target: KillTarget, commandId: string): Promise<boolean>;
  /** The target's own flag, whatever wider one stands over it; revision 0 when it never had one. */
  flag(target: KillTarget): Promise<{ killed: boolean; revision: number }>;
  /**
   * The first flag that stops this agent: everything, its tenant, a family that it is in or left while that was killed, or
   * its own. And when such a flag was last released.
   */
  killStatus(tenant: string, agentId: string, standing?: Standing): Promise<KillStatus>;
  /** Flags in force, of a tenant (with `all` among them), newest first. */
  killed(tenant: string): Promise<readonly (KillFact & { target: KillTarget })[]>;

  /** Throws ADJUSTMENT_TOO_LARGE when the counter cannot hold exactly what it would leave (2^53-1). */
  adjust(adjustment: Adjustment): Promise<Receipt & { spentMicros: number }>;
  /**
   * Answers a deferred request. Throws APPROVAL_NOT_FOUND if the newest remembered decision of the action is not about that
   * digest. Throws APPROVAL_NOT_WAITING if the action was already allowed or blocked for good.
   */
  approve(approval: Approval): Promise<Receipt & { expiresAtMs: number }>;
  /** Returns the state of a question to a person. It changes nothing. */
  question(question: QuestionReference): Promise<Question>;

  /** Every lifetime and windowed counter of a tenant that is not zero, ordered by scope, subject, id, window. */
  balances(tenant: string): Promise<readonly Balance[]>;
  /** Allowed actions that still run (no outcome, lease alive) or are not on the log yet; the oldest first. */
  open(tenant: string, agentId?: string): Promise<readonly OpenAction[]>;
  /** Changes of the ledger that the log may not have yet: decided or settled, but not confirmed. */
  unpublished(tenant: string): Promise<readonly Unpublished[]>;
  tenants(): Promise<readonly string[]>;
  /** How many deliveries of a tenant are remembered. Its plans limit this number by `maxRemembered`. */
  remembered(tenant: string): Promise<number>;
  /** The used share of the memory of the ledger, 0 to 1; null if the memory has no bound. */
  usedShare(): Promise<number | null>;

  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How a ledger comes back from the log: records of the decisions topic, each partition in order, any interleaving of
 * partitions. `source` is the record's own place on the decisions topic: it tells which epoch holds there.
 */
export type FoldInput = { source: { partition: number; offset: number }; record: DecisionsHead };
