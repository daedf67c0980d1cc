/**
 * What the ledger remembers of each tenant, each of its agents, and each answered delivery. They refer to each other.
 * Until the record of a delivery is known to be on the log, the whole answer is kept, so that a redelivery gets it
 * again word for word. After that only the fields that later steps need are kept.
 */
import type {
  Charging,
  Code,
  OutcomeResult,
  SettleFacts,
  Settling,
  StepFacts,
  StepRequest,
  Verdict,
} from '@mandate/schemas';
import type { Receipt } from '../port.ts';
import type { Done } from './commands.ts';
import type { Counter, Counters } from './counters.ts';
import type { Deferral } from './deferral.ts';
import type { Grants } from './grants.ts';
import type { Queue } from './queue.ts';

export type TenantState = {
  readonly name: string;
  sequence: number;
  readonly agents: Map<string, AgentState>;
  /**
   * By agent and idempotency key: the action that claimed it last. The claim holds as long as an attempt with this
   * key is stored.
   */
  readonly keys: Map<string, string>;
  /** ALLOWs without an outcome, oldest first. The lease of some may have ended. */
  readonly running: Set<StoredDecision>;
  readonly counters: Counters;
  readonly grants: Grants;
  readonly adjustments: Done<Receipt & { spentMicros: number }>;
  readonly approvals: Done<Receipt & { expiresAtMs: number }>;
  /** Answered deliveries that are not known to be on the log, the oldest first. */
  readonly unpublished: Set<ProcessedDelivery>;
  /** The number of remembered deliveries. Deliveries in `unremembered` do not count. */
  remembered: number;
  /** Deliveries for which there was no room. The last ones are kept, so that a redelivery is recognized. */
  readonly unremembered: Queue<Unremembered>;
};

export type AgentState = {
  readonly tenant: TenantState;
  readonly id: string;
  /** By action id: the decision of one attempt, which links to the other attempts. */
  readonly actions: Map<string, StoredDecision>;
  /** The charges of its latest ALLOW. Decisions with equal charges share the list, which nearly all do. */
  charges: readonly Charge[];
  /** Its deferred actions that wait for a person. Some may be forgotten already. */
  waiting: readonly Deferral[];
  /** The number of deliveries that refer to this agent. With none left, the agent itself is forgotten. */
  deliveries: number;
};

/** The deliveries of one partition of a log. */
export type Partition = {
  readonly topic: string;
  readonly partition: number;
  readonly deliveries: Map<number, ProcessedDelivery>;
  /** The highest offset that was ever remembered here. */
  highest: number;
};

type RememberedDelivery = {
  readonly agent: AgentState;
  readonly log: Partition;
  readonly offset: number;
  /** The time, on the ledger's clock, from which the delivery counts as never seen, if its record is on the log. */
  readonly forgetAtMs: number;
};

/** A charged counter, and its limit at that time. */
export type Charge = { readonly counter: Counter; readonly maxMicros: number | null };

/** What an ALLOW holds: a reservation until its outcome, and a cost after it. */
export type Lease = {
  readonly reservedMicros: number;
  readonly charging: Charging;
  readonly settling: Settling;
  readonly charges: readonly Charge[];
  readonly expiresAtMs: number;
  chargedMicros: number;
  result: OutcomeResult | null;
};

/** The valid decision about one attempt of an action. */
export type StoredDecision = RememberedDelivery & {
  readonly kind: 'first' | 'expired';
  readonly actionId: string;
  readonly attempt: number;
  readonly idempotencyKey: string | null;
  readonly digest: string;
  readonly appendedAtMs: number;
  readonly atMs: number;
  readonly sequence: number;
  readonly verdict: Verdict;
  readonly code: Code;
  readonly final: boolean;
  readonly grantConsumed: boolean;
  readonly lease: Lease | null;
  /** `appliedOutcome`: the amounts that its outcome moved at the decision, if the outcome was on the log before the decision. */
  unpublished: { plan: StepRequest['plan']; facts: StepFacts; appliedOutcome: Moved | null } | null;
  /** Another attempt of the same action. Nearly every action has none, so a list would cost more than its content. */
  another: StoredDecision | null;
};

/** A decision about a repeated request. Only its log position is remembered. */
export type Duplicate = RememberedDelivery & {
  readonly kind: 'duplicate';
  readonly digest: string;
  unpublished: { plan: StepRequest['plan']; facts: StepFacts } | null;
};

/** An outcome that was accepted. `entry`: the ALLOW that it settled; null if it changed nothing. */
export type Settled = RememberedDelivery & {
  readonly kind: 'settled';
  unpublished: { facts: SettleFacts; entry: StoredDecision | null } | null;
};

/** A delivery for which there was no room. It decided and changed nothing. `digest` is null for an outcome. */
export type Unremembered = RememberedDelivery & {
  readonly kind: 'unremembered';
  readonly digest: string | null;
  readonly sequence: number;
  unpublished: { plan: StepRequest['plan']; facts: StepFacts } | { facts: SettleFacts } | null;
};

export type ProcessedDelivery = StoredDecision | Duplicate | Settled | Unremembered;

/** The amounts that an outcome moves, in micro-dollars. */
export type Moved = {
  /** The amount in every counter that the ALLOW charged. */
  readonly deltaMicros: number;
  /** The further amount in the agent's own counters among them. */
  readonly excessMicros: number;
  /** The amount in the agent's counter of releases. */
  readonly releasedMicros: number;
  readonly result: OutcomeResult;
};

/** An outcome that comes before its decision on the log: out-of-order-outcomes.ts. */
export type PendingOutcome = Moved & {
  /**
   * By the ledger's clock: the time after which the outcome no longer waits. It is as long as a decision is
   * remembered.
   */
  readonly forgetAtMs: number;
};
