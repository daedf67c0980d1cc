/**
 * What passes between the pure policy and the ledger: the plan goes in, the facts come out. Both are plain data,
 * so that a plan can be stored beside its verdict and decided again, word for word.
 */
import type { Code, Verdict } from './codes.ts';
import type { Check, DecisionKind, MandateReference, Obligations } from './decision.ts';
import type { Charging, Limit, Settling } from './limit.ts';
import type { KillTarget } from './operations.ts';
import type { LogPosition } from './scalars.ts';

/** A static verdict: the first check of the table that blocked. */
export type Refusal = { code: Code; reason: string; remedy: string; final: boolean };

export type Plan = {
  /** The plan is right for ledger times in [holdsFromMs, holdsUntilMs); outside, the step answers `replan`. */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  refusal: Refusal | null;
  /** The mandate only watches: its refusals are recorded, charged and let through. */
  observe: boolean;
  /** What an ALLOW charges at once, and how its outcome settles it. */
  reserveMicros: number;
  charging: Charging;
  settling: Settling;
  leaseMs: number;
  /** In the order in which they are judged; the first that fails gives the verdict. */
  limits: readonly Limit[];
  mandate: MandateReference | null;
  /**
   * The ancestors of the agent, the nearest first; absent: none. A kill of the family of an ancestor stops the action.
   */
  ancestors?: readonly string[];
  /**
   * Ancestors that the agent had and has no longer; absent: none. A kill of their family that was in force before still
   * stops it.
   */
  formerAncestors?: readonly FormerAncestor[];
  /** What each static check saw and said. */
  checks: readonly Check[];
  /** What an ALLOW obliges to; absent: nothing. */
  obligations?: Obligations;
  /** Where a rule in shadow matches. */
  shadow?: ShadowPlan;
};

/** An agent that stood above another one, until `leftAt`: a revision of the control topic. */
export type FormerAncestor = { readonly id: string; readonly leftAt: number };

/** What would be said were the rules in shadow that match in force; of the same facts, so it asks the ledger for nothing. */
export type ShadowPlan = {
  rules: readonly string[];
  /** That these rules give: `read-only@3`. */
  policies: readonly string[];
  /**
   * The plan is right for ledger times in [holdsFromMs, holdsUntilMs). Outside, nothing is known, and no process plans
   * again.
   */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  /** The code of the static check that would block; null: the limits decide. */
  code: Code | null;
  limits: readonly ShadowLimit[];
  /** Limits with counters that the step does not look at. */
  unknownLimits: number;
  /** A person would have to confirm. */
  asksPerson: boolean;
};

/** It would block where its counter holds more than `most`, micro-dollars or calls. */
export type ShadowLimit = {
  kind: 'budget' | 'rate';
  /** The plan's limit that has the same counter; `total`: the agent's lifetime spend, which every step tells. */
  at: number | 'total';
  most: number;
};

/** One request, as it enters the atomic step. */
export type StepRequest = {
  op: 'decide';
  source: LogPosition;
  appendedAtMs: number;
  tenant: string;
  agentId: string;
  actionId: string;
  attempt: number;
  idempotencyKey: string | null;
  /** The digest of the action without its transport fields: it tells a repeat from another payload under a known id. */
  digest: string;
  /** On the log's clock; null where no deadline applies (offline evaluation). */
  deadlineAtMs: number | null;
  /** How many deliveries of the tenant the ledger may remember; the same for all of a tenant in one batch. */
  maxRemembered: number;
  /** With the revision of the mandates it was made under, which goes on the decision, also when that is told again. */
  plan: Plan & { controlRevision: number };
};

/** One outcome, as it enters the atomic step. */
export type SettleRequest = {
  op: 'settle';
  source: LogPosition;
  tenant: string;
  agentId: string;
  actionId: string;
  attempt: number;
  status: 'success' | 'failure' | 'cancelled';
  /** The actual cost; null if none was metered. */
  actualMicros: number | null;
  /** null: no verification ran. */
  verified: boolean | null;
  /** The same limit as for a request. An outcome that settles something is always remembered. */
  maxRemembered: number;
  /** Whether the reporter may give back without bound. Otherwise the report counts as an own report of the agent. */
  mayRelease: boolean;
};

/** What the ledger saw at one limit, in the order of `plan.limits`: before this action was charged. */
export type LimitFact =
  | { kind: 'budget'; spentMicros: number; ok: boolean; retryAfterMs: number | null }
  | { kind: 'rate'; calls: number; ok: boolean; retryAfterMs: number | null }
  /** `waiting`: how many deferred actions of the agent wait for a person, this one not among them. */
  | { kind: 'confirmation'; ok: boolean; grant: GrantState; waiting: number };

/** What a person said about a deferred action. */
export type GrantState = 'none' | 'granted' | 'denied' | 'expired';

/** No person has answered, and as many deferred actions of the agent wait for one as may. */
export function mayNotWait(
  { maxWaiting }: { maxWaiting: number },
  { grant, waiting }: { grant: GrantState; waiting: number },
): boolean {
  return grant === 'none' && waiting >= maxWaiting;
}

/** An earlier decision that a duplicate runs into. */
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

/** `agentId`: of a family, who heads it. */
export type KillFact = { scope: KillTarget['scope']; revision: number; reason: string; agentId?: string };

/** What the atomic step found and did. The first of `first`, `unremembered`, `late`, `kill`, `plan.refusal`, `limits` decides. */
export type StepFacts = {
  epoch: string;
  sequence: number;
  /** The ledger's clock: the only clock of a decision. */
  atMs: number;
  first: FirstDecision | null;
  /** The ledger has no room to remember the request. The request claims no id. It is refused unless its answer is known. */
  unremembered: boolean;
  late: boolean;
  kill: KillFact | null;
  /** Empty when the step ended before the limits. */
  limits: readonly LimitFact[];
  chargedMicros: number;
  /** The agent's lifetime spend after this step. */
  cumulativeMicros: number;
  leaseExpiresAtMs: number | null;
};

export type SettleFacts = {
  epoch: string;
  sequence: number;
  atMs: number;
  /** Only `settled` moves money (perhaps 0). `unremembered`: the outcome changes nothing, and there is no room for it. */
  kind: 'settled' | 'repeated' | 'unknown' | 'not_allowed' | 'unremembered';
  /** The lease had already run out. */
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
