/**
 * Compiled policies and mandates, as the checks read them. Amounts are in micro-dollars, matchers are compiled, and
 * everything is immutable.
 */
import type { BudgetLimit, MandateReference, RiskLevel } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';
import type { ArgumentRules } from '../arguments/argument-rules.ts';
import type { GlobMatcher } from '../glob.ts';
import type { Governance } from '../governance/governance.ts';
import type { NameList } from '../models/name-lists.ts';
import type { ModelPrices } from '../prices/model-prices.ts';

/** Scope `principal`: the calls of each person count, whichever agent calls. */
export type Rate = { maxCalls: number; windowMs: number; scope?: 'agent' | 'principal' | undefined };

/**
 * How a mandate or a tool charges. For tiers the rule contains the amounts. For other types each action has its own
 * estimate.
 */
export type ChargingRule =
  | { type: 'SUCCESS_BASED' }
  | { type: 'ATTEMPT_BASED' }
  | { type: 'TIERED'; attemptMicros: number; successMicros: number; verificationMicros: number };

export type Budget = { id: string; scope: BudgetLimit['scope']; maxMicros: number; windowMs: number | null };

/** A limit in a unit other than money, over the life of an agent or in a window. */
export type UnitLimitRule = {
  id: string;
  scope: BudgetLimit['scope'];
  most: number;
  windowMs: number | null;
};

/** The charges that an agent's own reports may release: a number of calls, and a percentage. */
export type Releases = { calls: number; percent: number } | 'unlimited';

export type ToolPolicy = {
  costMicros: number | null;
  maxCostPerCallMicros: number | null;
  maxActualMicros: number | null;
  rate: Rate | null;
  charging: ChargingRule | null;
  argumentRules: ArgumentRules | null;
  leaseMs: number | null;
  /** The roles of people that may have the tool called. Null: all roles. */
  roles: readonly string[] | null;
  /** Null: the policy does not say. */
  requiresConfirmation: boolean | null;
  questionMs: number | null;
  grantMs: number | null;
  /** Null: the policy does not say. */
  risk: RiskLevel | null;
  /** Null: the policy does not say. */
  idempotent: boolean | null;
};

export type DefaultTokens = { input: number | null; maxOutput: number | null };

/** A compiled policy. A field that is absent or null does not restrict anything. */
export type Policy = {
  /** The id that all versions of the policy share. Budgets with scope `mandate` use this id for their counter. */
  id: string;
  /**
   * The name of the policy on records: `read-only@3`. Null if the policy is a whole mandate, as in a mandate file.
   */
  name: string | null;
  /** The ancestor to which the policy was granted. Null if it was granted to the agent itself. */
  ancestor: string | null;
  hash: string;
  /** True if a rule names the policy but it does not exist. Then it allows nothing. */
  isMissing: boolean;
  observe: boolean;
  expiresAtMs: number | null;
  maxCostTotalMicros: number | null;
  maxCostPerCallMicros: number | null;
  maxActualMicros: number | null;
  releases: Releases;
  requireEstimate: boolean;
  defaultEstimateMicros: number | null;
  /** The maximum number of calls of an agent that may be open at one time. Null if the policy states no number. */
  maxOpen: number | 'unlimited' | null;
  budgets: readonly Budget[];
  /** The limits in each unit other than money. A lifetime limit comes first, with the id `total`. */
  unitLimits: Readonly<Record<CounterUnit, readonly UnitLimitRule[]>>;
  rate: Rate | null;
  /** The most deferred actions of an agent that may wait for a person at one time. */
  maxWaiting: number | null;
  allowedTools: GlobMatcher | null;
  /** Tools that the agent's descendants may also call, although the agent itself may not call them. */
  delegableTools: GlobMatcher | null;
  deniedTools: GlobMatcher | null;
  allowedModels: NameList | null;
  deniedModels: NameList | null;
  allowedProviders: NameList | null;
  deniedProviders: NameList | null;
  /** Roles, intents, memory and guardrails. Null if the policy says nothing about them. */
  governance: Governance | null;
  /** The prices that the policy sets for models. They replace the prices of the price lists. */
  modelPrices: ModelPrices | null;
  /** The numbers of tokens to assume for an LLM call that states none. Null means that none are assumed. */
  defaultTokens: DefaultTokens;
  registry: ReadonlySet<string> | null;
  charging: ChargingRule;
  tools: ReadonlyMap<string, ToolPolicy>;
};

/** The policies that apply to an agent together. Only what each policy allows is allowed. */
export type Mandate = {
  reference: MandateReference;
  /** The policies of the mandate. There is at least one. */
  policies: readonly Policy[];
};

/** A mandate from a file. It names the agents to which it applies. */
export type MandateOfFile = Mandate & { agents: GlobMatcher; agentGlobs: readonly string[] };
