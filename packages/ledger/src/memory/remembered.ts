/**
 * The data that the ledger remembers of each tenant, agent and answered delivery. The objects refer to each other.
 * The whole answer is kept until the log has its record, so that a redelivery gets the same answer. After that, only
 * the fields for later steps are kept.
 */
import type {
  ActionType,
  Charging,
  Code,
  OutcomeResult,
  SettleFacts,
  Settling,
  StepFacts,
  StepRequest,
  UnitSettled,
  UnitSettling,
  Verdict,
} from '@mandate/schemas';
import type { ByUnit } from '@mandate/schemas/core';
import type { Turn } from '@mandate/step';
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
   * By agent and idempotency key: the last action that claimed the key. The claim ends when no attempt with this key
   * is stored any more.
   */
  readonly keys: Map<string, string>;
  /** ALLOWs without an outcome, oldest first. Some of their leases may have ended. */
  readonly running: Set<StoredDecision>;
  readonly counters: Counters;
  readonly grants: Grants;
  /** By agent and prompt. See `turnKey`. */
  readonly turns: Map<string, Turn>;
  readonly adjustments: Done<Receipt & { spent: number }>;
  readonly approvals: Done<Receipt & { expiresAtMs: number }>;
  /** Answered deliveries whose record may not be on the log yet, oldest first. */
  readonly unpublished: Set<ProcessedDelivery>;
  /** The number of remembered deliveries. Deliveries in `unremembered` are not counted. */
  remembered: number;
  /** Deliveries above the limit. The last ones are kept, so that a redelivery is recognized. */
  readonly unremembered: Queue<Unremembered>;
};

export type AgentState = {
  readonly tenant: TenantState;
  readonly id: string;
  /** By action id: the decision about one attempt. It has a link to the other attempts. */
  readonly actions: Map<string, StoredDecision>;
  /** The charges of the agent's latest ALLOW. Nearly all decisions have equal charges, and share this list. */
  charges: readonly Charge[];
  /** The same in other units, of the agent's latest ALLOW that reserved something in them. */
  readonly unitCharges: ByUnit<readonly Charge[]>;
  /** The agent's deferred actions that wait for a person. Some may be forgotten already. */
  waiting: readonly Deferral[];
  /** The number of deliveries that refer to this agent. At 0 the agent is forgotten too. */
  deliveries: number;
};

/** The remembered deliveries of one partition of a log. */
export type Partition = {
  readonly topic: string;
  readonly partition: number;
  readonly deliveries: Map<number, ProcessedDelivery>;
  /** The highest offset that was ever remembered in this partition. */
  highest: number;
};

type RememberedDelivery = {
  readonly agent: AgentState;
  readonly log: Partition;
  readonly offset: number;
  /** The time, on the ledger's clock, at which the delivery is forgotten if its record is on the log. */
  readonly forgetAtMs: number;
};

/** A charged counter, and its limit when it was charged, in the unit of the counter. */
export type Charge = { readonly counter: Counter; readonly most: number | null };

/** The charge of an ALLOW: a reservation before its outcome, and a cost after it. */
export type Lease = {
  readonly type: ActionType;
  readonly tool: string | null;
  readonly reservedMicros: number;
  readonly charging: Charging;
  readonly settling: Settling;
  readonly charges: readonly Charge[];
  /** Absent if the ALLOW reserved nothing in units other than money. */
  readonly units?: ByUnit<UnitLease>;
  readonly expiresAtMs: number;
  chargedMicros: number;
  result: OutcomeResult | null;
};

/** The amount that an ALLOW reserved in a unit, and how its outcome settles it. */
export type UnitLease = {
  readonly reserved: number;
  readonly settling: UnitSettling;
  readonly charges: readonly Charge[];
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
  /** `appliedOutcome`: the amounts that the outcome changed, if the log had the outcome before the decision. */
  unpublished: { plan: StepRequest['plan']; facts: StepFacts; appliedOutcome: Moved | null } | null;
  /**
   * The next attempt in the chain of attempts of this action. Few actions have several attempts, so a list would need
   * too much memory.
   */
  another: StoredDecision | null;
};

/** A decision about a repeated request. Only its log position is remembered. */
export type Duplicate = RememberedDelivery & {
  readonly kind: 'duplicate';
  readonly digest: string;
  unpublished: { plan: StepRequest['plan']; facts: StepFacts } | null;
};

/** An accepted outcome. `entry` is the settled ALLOW, or null if the outcome changed nothing. */
export type Settled = RememberedDelivery & {
  readonly kind: 'settled';
  unpublished: { facts: SettleFacts; entry: StoredDecision | null } | null;
};

/** A delivery above the tenant's limit, which changed nothing. `digest` is null for an outcome. */
export type Unremembered = RememberedDelivery & {
  readonly kind: 'unremembered';
  readonly digest: string | null;
  readonly sequence: number;
  unpublished: { plan: StepRequest['plan']; facts: StepFacts } | { facts: SettleFacts } | null;
};

export type ProcessedDelivery = StoredDecision | Duplicate | Settled | Unremembered;

/** The amounts by which an outcome changes counters, in micro-dollars. */
export type Moved = {
  /** The change of every counter that the ALLOW charged. */
  readonly deltaMicros: number;
  /** The additional change of the agent's own counters. */
  readonly excessMicros: number;
  /** The change of the agent's counter of releases. */
  readonly releasedMicros: number;
  /** The changes of counters in other units. Absent if the ALLOW reserved nothing in them. */
  readonly units?: ByUnit<MovedUnit>;
  readonly result: OutcomeResult;
};

export type MovedUnit = Pick<UnitSettled, 'delta' | 'excess' | 'released'>;

/** An outcome that is before its decision on the log. See out-of-order-outcomes.ts. */
export type PendingOutcome = Moved & {
  /** The time, on the ledger's clock, at which the outcome stops waiting. A decision is remembered equally long. */
  readonly forgetAtMs: number;
};
