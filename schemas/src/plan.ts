/**
 * The data that the pure policy and the ledger exchange. The ledger gets the plan and returns the facts. Both are
 * plain data. So a plan can be stored with its verdict, and decided again with the same result.
 */
import type { ActionType } from './action.ts';
import type { Code, Verdict } from './codes.ts';
import type { ByUnit, CounterUnit } from './counter-names.ts';
import type {
  Check,
  DecisionKind,
  MandateReference,
  Note,
  Obligations,
  OriginViolation,
} from './decision.ts';
import type { GovernanceEvent } from './governance-events.ts';
import type { Charging, Limit, Settling, UnitSettling } from './limit.ts';
import type { KillTarget } from './operations.ts';
import type { Json, LogPosition } from './scalars.ts';
import type { TokenUsage } from './token-usage.ts';

/** A verdict that needs no ledger: the first static check that blocked. */
export type Refusal = { code: Code; reason: string; remedy: string; final: boolean };

export type Plan = {
  /** The plan is valid for ledger times in [holdsFromMs, holdsUntilMs). At other times the step answers `replan`. */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  refusal: Refusal | null;
  /** True if the mandate only observes: its refusals are recorded, but the action is allowed and charged. */
  observe: boolean;
  /** The amount that an ALLOW charges at once, and how the outcome settles it. */
  reserveMicros: number;
  charging: Charging;
  settling: Settling;
  /**
   * What an ALLOW reserves in units other than money. Absent if the action is no LLM call, or if no policy limits such
   * a unit.
   */
  units?: ByUnit<UnitReserve>;
  leaseMs: number;
  /** The limits in the order in which the step checks them. The first limit that fails determines the verdict. */
  limits: readonly Limit[];
  mandate: MandateReference | null;
  /**
   * The ancestors of the agent, the nearest first. Absent if there are none. A kill of an ancestor with its
   * descendants stops the action.
   */
  ancestors?: readonly string[];
  /**
   * Ancestors that the agent had before. Absent if there are none. If one of them was killed with its descendants at
   * that time, the kill still stops the action.
   */
  formerAncestors?: readonly FormerAncestor[];
  /** The results of the static checks. */
  checks: readonly Check[];
  /** What an ALLOW obliges to. Absent if it obliges to nothing. */
  duties?: Duties;
  /**
   * The same for each intent that the turn of the action may have. The ledger knows the intent of the turn. Absent if
   * the intent does not matter, or if the action names no turn.
   */
  dutiesOfIntent?: Readonly<Record<string, Duties>>;
  /** The turn that an ALLOW opens. Absent if the action is no prompt. */
  opensTurn?: OpensTurn;
  /** What a model chose that it must not choose. Absent if there is nothing. */
  violations?: readonly OriginViolation[];
  /** The events that are marked on the decision if they happen. Absent if no policy marks events. */
  events?: readonly GovernanceEvent[];
  /** The plan of the rules in shadow. Absent if no such rule matches. */
  shadow?: ShadowPlan;
};

/** The amount that an ALLOW charges at once in a unit, and how the outcome settles it. */
export type UnitReserve = { reserve: number; settling: UnitSettling };

/**
 * What an ALLOW obliges to, without the parts that depend on the time of the decision. The decision adds these parts
 * when it is made.
 */
export type Duties = {
  obligations: Obligations;
  notes?: readonly Note[];
  /** The saves that are allowed. The decision adds when each of them expires. */
  saves?: readonly PlannedSave[];
  /** A change of memory that is allowed. The decision adds when the memory expires. */
  change?: PlannedChange;
};

/**
 * A change of memory that is allowed. `expiry`: the memory expires at the earliest ceiling, or as `asked` if that is
 * not later; null: it asked for no end. A ceiling counts from the time `from`, or from the decision (`now`).
 */
export type PlannedChange = {
  readonly expiry?: {
    readonly asked: string | null;
    readonly ceilings: readonly {
      readonly category: string;
      readonly maxDays: number;
      readonly from: string;
    }[];
  };
  /** The categories that are made, from the top. */
  readonly creates?: readonly string[];
  /** False if the category was there already. */
  readonly created?: boolean;
  /** The new description. Null: it is taken away. */
  readonly description?: string | null;
  /** True if memories that have expired at the decision are deleted. */
  readonly prunes?: boolean;
};

/** The intent and the person of a turn. `intent` null: the prompt has none. `person`: see `personOfTurn`. */
export type OpensTurn = { intent: string | null; person: string };

/** A save that is allowed. It expires `ttlMs` after the decision; null: never. */
export type PlannedSave = { ttlMs: number | null; [field: string]: Json };

/** A former ancestor of an agent. `leftAt`: the revision of the control topic at which the agent left it. */
export type FormerAncestor = { readonly id: string; readonly leftAt: number };

/**
 * The decision that would be made if the matching rules in shadow were in force. The ledger is not asked again, because
 * the shadow plan uses the facts of the plan.
 */
export type ShadowPlan = {
  rules: readonly string[];
  /** The policies that these rules give: `read-only@3`. */
  policies: readonly string[];
  /**
   * The shadow plan is valid for ledger times in [holdsFromMs, holdsUntilMs). At other times its verdict is unknown:
   * in contrast to the plan, it is not made again.
   */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  /** The code of the static check that would block. Null if the limits decide. */
  code: Code | null;
  limits: readonly ShadowLimit[];
  /** The number of limits with counters that the step does not read, so their result is unknown. */
  unknownLimits: number;
  /** True if a person would have to confirm the action. */
  asksPerson: boolean;
};

/**
 * A limit of a rule in shadow. It would block if the value of its counter is above `most`, in the unit of the counter or
 * in calls.
 */
export type ShadowLimit = {
  kind: 'budget' | CounterUnit | 'rate';
  /**
   * The index of the limit in the plan that has the same counter. `total`: the lifetime spending of the agent, which
   * every step returns.
   */
  at: number | 'total';
  most: number;
};

/** One request, as input of the atomic step. */
export type StepRequest = {
  op: 'decide';
  source: LogPosition;
  appendedAtMs: number;
  tenant: string;
  agentId: string;
  actionId: string;
  attempt: number;
  idempotencyKey: string | null;
  /**
   * The digest of the action without its delivery fields. It distinguishes a duplicate from another action under the
   * same id.
   */
  digest: string;
  type: ActionType;
  /** The tool of a tool call. Null for another type. The step only stores both, for people who read open actions. */
  tool: string | null;
  /** The deadline by the log's clock. Null if there is no deadline (offline evaluation). */
  deadlineAtMs: number | null;
  /**
   * How many deliveries of the tenant the ledger may remember. All requests of a tenant in one batch state the same
   * number.
   */
  maxRemembered: number;
  /**
   * The plan with the revision of the documents that it was made from. The decision states this revision, even when
   * the decision is repeated.
   */
  plan: Plan & { controlRevision: number };
};

/** One outcome, as input of the atomic step. */
export type SettleRequest = {
  op: 'settle';
  source: LogPosition;
  tenant: string;
  agentId: string;
  actionId: string;
  attempt: number;
  status: 'success' | 'failure' | 'cancelled';
  /** The actual cost. Null if no cost was metered. */
  actualMicros: number | null;
  /** The tokens that the call used. Absent if the outcome does not state the tokens. */
  usage?: TokenUsage;
  /** How many calls of tools the answer asks for. Absent if the outcome does not state them. */
  toolCalls?: number;
  /** The result of the verification. Null if no verification ran. */
  verified: boolean | null;
  /**
   * How many deliveries of the tenant the ledger may remember. An outcome that settles something is always
   * remembered.
   */
  maxRemembered: number;
  /**
   * True if no limit applies to what the reporter may give back. Otherwise the report counts as the agent's own
   * report.
   */
  mayRelease: boolean;
};

/** The state of one limit before this action was charged. The facts are in the order of `plan.limits`. */
export type LimitFact =
  | { kind: 'budget'; spentMicros: number; ok: boolean; retryAfterMs: number | null }
  | { kind: CounterUnit; used: number; ok: boolean; retryAfterMs: number | null }
  | { kind: 'rate'; calls: number; ok: boolean; retryAfterMs: number | null }
  /** `waiting`: how many other deferred actions of the agent wait for a person. */
  | { kind: 'confirmation'; ok: boolean; grant: GrantState; waiting: number }
  | TurnFact;

/** The ways in which a call may not fit into a turn, in the order in which they are examined. */
export const TURN_FAILURES = ['unknown', 'person', 'timeout', 'intent', 'calls'] as const;

/**
 * The turn of a call. `agentId`: the agent that opened it; null: no such turn is known. `calls`: how many calls of the
 * kind that the limit counts were allowed before.
 */
export type TurnFact = {
  kind: 'turn';
  ok: boolean;
  fails: (typeof TURN_FAILURES)[number] | null;
  agentId: string | null;
  intent: string | null;
  openedAtMs: number | null;
  calls: number;
};

/** The answer of a person about a deferred action. */
export type GrantState = 'none' | 'granted' | 'denied' | 'expired';

/** True if no person has answered, and the agent already has as many waiting questions as allowed. */
export function mayNotWait(
  { maxWaiting }: { maxWaiting: number },
  { grant, waiting }: { grant: GrantState; waiting: number },
): boolean {
  return grant === 'none' && waiting >= maxWaiting;
}

/** The first decision about an action. A duplicate of its request gets this decision. */
export type FirstDecision = {
  source: LogPosition;
  appendedAtMs: number;
  kind: DecisionKind;
  actionId: string;
  attempt: number;
  verdict: Verdict;
  code: Code;
  samePayload: boolean;
};

/** The kill that stops an action. `agentId`: for scope `subtree`, the agent that was killed with its descendants. */
export type KillFact = { scope: KillTarget['scope']; revision: number; reason: string; agentId?: string };

/**
 * The results and changes of the atomic step. The verdict is determined by the first of these facts that refuses:
 * `first`, `unremembered`, `late`, `kill`, `plan.refusal`, `limits`.
 */
export type StepFacts = {
  epoch: string;
  sequence: number;
  /** The time of the ledger's clock, the only clock of a decision. */
  atMs: number;
  first: FirstDecision | null;
  /**
   * True if the ledger cannot remember another id, because its memory is full. The request is then refused, unless
   * its answer is known already.
   */
  unremembered: boolean;
  late: boolean;
  kill: KillFact | null;
  /** The facts about limits. Empty if the step ended before it checked the limits. */
  limits: readonly LimitFact[];
  chargedMicros: number;
  /** What was charged in other units. Absent if the plan reserves nothing in them, or if nothing was allowed. */
  chargedUnits?: ByUnit<number>;
  /** The agent's lifetime spending after this step. */
  cumulativeMicros: number;
  leaseExpiresAtMs: number | null;
};

export type SettleFacts = {
  epoch: string;
  sequence: number;
  atMs: number;
  /**
   * The result of the settlement. Only `settled` changes a charge, and the change may be 0. `unremembered`: the
   * outcome changes nothing, because the ledger's memory is full.
   */
  kind: 'settled' | 'repeated' | 'unknown' | 'not_allowed' | 'unremembered';
  /** True if the lease had ended before the outcome came. */
  late: boolean;
  deltaMicros: number;
  /** The whole cost of the action after this outcome. */
  chargedMicros: number;
  cumulativeMicros: number;
  /** The part of the actual cost above the cap. It is added to the agent's own budgets, but not to shared budgets. */
  excessMicros: number;
  /** The cost of the reported token usage. Null if the outcome settled nothing, or if no usage or no price is known. */
  usageMicros: number | null;
  /** The change of the agent's counter of releases. Negative if a success allows more releases. */
  releasedMicros: number;
  /** True if the report would release more than `settling.releases` allows. The reservation then stays charged. */
  releaseRefused: boolean;
  /** True if the actual cost was above `settling.markMicros`. */
  overCostPerCall: boolean;
  /** True if the charges of a budget of money are now above its limit. */
  overdrawn: boolean;
  /** The effect in other units. Absent if the outcome settled nothing, or if nothing was reserved in them. */
  units?: ByUnit<UnitSettled>;
};

/** The effect of an outcome on what its ALLOW reserved in a unit. */
export type UnitSettled = {
  delta: number;
  /** The amount that the action is charged with after this outcome, without the excess. */
  charged: number;
  /** The reported amount above the cap. It is added to the agent's own counters, but not to shared counters. */
  excess: number;
  /** The change of the agent's counter of releases. Negative if a success allows more releases. */
  released: number;
  /** True if the report would release more than the bound allows. The reservation then stays charged. */
  releaseRefused: boolean;
  /** True if a counter of the unit is now above its limit. */
  overdrawn: boolean;
};
