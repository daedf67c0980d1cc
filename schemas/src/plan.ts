/**
 * The data between the pure policy and the ledger: the plan goes in, the facts come out. Both are plain data, so that
 * a plan can be stored with its verdict and decided again with the same result.
 */
import type { Code, Verdict } from './codes.ts';
import type { Check, DecisionKind, MandateReference, Obligations } from './decision.ts';
import type { Charging, Limit, Settling } from './limit.ts';
import type { KillTarget } from './operations.ts';
import type { LogPosition } from './scalars.ts';

/** A verdict that needs no ledger: the first check of the table that blocked. */
export type Refusal = { code: Code; reason: string; remedy: string; final: boolean };

export type Plan = {
  /** The plan is right for ledger times in [holdsFromMs, holdsUntilMs). Outside, the step answers `replan`. */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  refusal: Refusal | null;
  /** The mandate only observes: its refusals are recorded and charged, and let through. */
  observe: boolean;
  /** What an ALLOW charges at once, and how the outcome settles it. */
  reserveMicros: number;
  charging: Charging;
  settling: Settling;
  leaseMs: number;
  /** The limits in the order in which the step checks them. The first that fails gives the verdict. */
  limits: readonly Limit[];
  mandate: MandateReference | null;
  /**
   * The ancestors of the agent, the nearest first. Absent: none. A kill of the family of an ancestor stops the
   * action.
   */
  ancestors?: readonly string[];
  /**
   * Ancestors that the agent had before. Absent: none. A kill of their family that held at that time still stops the
   * action.
   */
  formerAncestors?: readonly FormerAncestor[];
  /** The results of the static checks. */
  checks: readonly Check[];
  /** The obligations of an ALLOW. Absent: none. */
  obligations?: Obligations;
  /** Present if a rule in shadow matches. */
  shadow?: ShadowPlan;
};

/** An agent that was an ancestor of another agent until `leftAt`, a revision of the control topic. */
export type FormerAncestor = { readonly id: string; readonly leftAt: number };

/** What the matching rules in shadow would decide. It uses the same facts, so that it asks the ledger for nothing. */
export type ShadowPlan = {
  rules: readonly string[];
  /** The policies that these rules give: `read-only@3`. */
  policies: readonly string[];
  /**
   * The plan is right for ledger times in [holdsFromMs, holdsUntilMs). Outside, the verdict is unknown, and no
   * process plans again.
   */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  /** The code of the static check that would block. Null: the limits decide. */
  code: Code | null;
  limits: readonly ShadowLimit[];
  /** Limits with counters that the step does not look at. */
  unknownLimits: number;
  /** A person would have to confirm. */
  asksPerson: boolean;
};

/** A limit that would block if its counter exceeds `most`, in micro-dollars or calls. */
export type ShadowLimit = {
  kind: 'budget' | 'rate';
  /**
   * The index of the plan's limit with the same counter. `total`: the lifetime spending of the agent, which every
   * step returns.
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
   * The digest of the action without its transport fields. It tells a duplicate from another payload under a known
   * id.
   */
  digest: string;
  /** By the log's clock. Null if there is no deadline (offline evaluation). */
  deadlineAtMs: number | null;
  /**
   * How many deliveries of the tenant the ledger may remember. It is equal for all requests of a tenant in one batch.
   */
  maxRemembered: number;
  /**
   * The plan with the revision of its mandates. The decision has this revision, also when the decision is repeated.
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
  /** The actual cost. Null: none was metered. */
  actualMicros: number | null;
  /** Null: no verification ran. */
  verified: boolean | null;
  /** The same limit as for a request. An outcome that settles something is always remembered. */
  maxRemembered: number;
  /** Whether the reporter may give back without a bound. Otherwise the report is an own report of the agent. */
  mayRelease: boolean;
};

/** The state of one limit before this action was charged, in the order of `plan.limits`. */
export type LimitFact =
  | { kind: 'budget'; spentMicros: number; ok: boolean; retryAfterMs: number | null }
  | { kind: 'rate'; calls: number; ok: boolean; retryAfterMs: number | null }
  /** `waiting`: how many other deferred actions of the agent wait for a person. */
  | { kind: 'confirmation'; ok: boolean; grant: GrantState; waiting: number };

/** The answer of a person about a deferred action. */
export type GrantState = 'none' | 'granted' | 'denied' | 'expired';

/** True if no person has answered and the agent has no room for another waiting question. */
export function mayNotWait(
  { maxWaiting }: { maxWaiting: number },
  { grant, waiting }: { grant: GrantState; waiting: number },
): boolean {
  return grant === 'none' && waiting >= maxWaiting;
}

/** The earlier decision of a duplicate. */
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

/** `agentId`: for a family, its head. */
export type KillFact = { scope: KillTarget['scope']; revision: number; reason: string; agentId?: string };

/** What the atomic step found and did. The first of `first`, `unremembered`, `late`, `kill`, `plan.refusal`, `limits` decides. */
export type StepFacts = {
  epoch: string;
  sequence: number;
  /** The ledger's clock, which is the only clock of a decision. */
  atMs: number;
  first: FirstDecision | null;
  /**
   * The ledger has no room to remember the request. The request claims no id, and it is refused unless its answer is
   * known.
   */
  unremembered: boolean;
  late: boolean;
  kill: KillFact | null;
  /** Empty if the step ended before the limits. */
  limits: readonly LimitFact[];
  chargedMicros: number;
  /** The agent's lifetime spending after this step. */
  cumulativeMicros: number;
  leaseExpiresAtMs: number | null;
};

export type SettleFacts = {
  epoch: string;
  sequence: number;
  atMs: number;
  /**
   * Only `settled` changes a charge, perhaps by 0. `unremembered`: the outcome changes nothing, and the ledger has no
   * room for it.
   */
  kind: 'settled' | 'repeated' | 'unknown' | 'not_allowed' | 'unremembered';
  /** Whether the lease had run out before. */
  late: boolean;
  deltaMicros: number;
  /** The whole cost of the action after this outcome. */
  chargedMicros: number;
  cumulativeMicros: number;
  /** The part of the actual cost above the cap. It is added to the agent's own budgets, and to no shared budget. */
  excessMicros: number;
  /** The change of the agent's counter of releases; negative if a success made room. */
  releasedMicros: number;
  /** The report would give back more than `settling.releases` allows, so the reservation stays charged. */
  releaseRefused: boolean;
  /** The actual cost was above `settling.markMicros`. */
  overCostPerCall: boolean;
  /** A budget now holds more than its limit. */
  overdrawn: boolean;
};
