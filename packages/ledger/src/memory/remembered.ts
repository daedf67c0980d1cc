/**
 * What is remembered of each tenant, of each of its agents, and of each delivery that was answered; they refer to each
 * other. Until the record of a delivery is known to be on the log the whole answer is kept, so that a redelivery gets it
 * again word for word; afterwards only what later steps ask for.
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
  /** By agent and idempotency key: the action that claimed it last. It holds while an attempt that carries it stands. */
  readonly keys: Map<string, string>;
  /** ALLOWs without an outcome, oldest first; some of them may have lost their lease. */
  readonly running: Set<StoredDecision>;
  readonly counters: Counters;
  readonly grants: Grants;
  readonly adjustments: Done<Receipt & { spentMicros: number }>;
  readonly approvals: Done<Receipt & { expiresAtMs: number }>;
  /** Answered deliveries that are not known to be on the log, the oldest first. */
  readonly unpublished: Set<ProcessedDelivery>;
  /** How many deliveries are remembered. Deliveries in `unremembered` do not count. */
  remembered: number;
  /** Deliveries for which there was no room. The last ones are kept, so that a redelivery is recognized. */
  readonly unremembered: Queue<Unremembered>;
};

export type AgentState = {
  readonly tenant: TenantState;
  readonly id: string;
  /** By action id: what stands for it, one of its attempts after another. */
  readonly actions: Map<string, StoredDecision>;
  /** What its latest ALLOW charged: shared by those that charge the same, as nearly all do. */
  charges: readonly Charge[];
  /** Its deferred actions that wait for a person, some of them perhaps forgotten. */
  waiting: readonly Deferral[];
  /** How many deliveries refer to this agent: without any, it is forgotten itself. */
  deliveries: number;
};

export type Offset = number | string;

/** The deliveries of one partition of a log. */
export type Partition = {
  readonly topic: string;
  readonly partition: number;
  readonly deliveries: Map<Offset, ProcessedDelivery>;
  /** The highest offset that was remembered here. */
  highest: number;
};

type RememberedDelivery = {
  readonly agent: AgentState;
  readonly log: Partition;
  readonly offset: Offset;
  /** On the ledger's clock: from here on it is as if it had never been, once its record is on the log. */
  readonly forgetAtMs: number;
};

/** A counter that was charged, and what it was allowed to hold at that time. */
export type Charge = { readonly counter: Counter; readonly maxMicros: number | null };

/** What an ALLOW holds: a reservation until its outcome, a cost afterwards. */
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
  /** `early`: the amounts that its outcome moved at the decision, if the outcome was on the log before the decision. */
  unpublished: { plan: StepRequest['plan']; facts: StepFacts; early: Moved | null } | null;
  /** Another attempt of the same action. Nearly every action has none, so a list would cost more than its content. */
  another: StoredDecision | null;
};

/** A decision about a repeated request: remembered by its log position alone. */
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
  /** By the clock of the ledger that has the decision. From then on the outcome no longer waits. */
  readonly forgetAtMs: number;
};
