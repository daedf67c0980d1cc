/**
 * Compiled policies and mandates, as the checks read them. Amounts are in micro-dollars, matchers are compiled, and
 * everything is immutable.
 */
import type { BudgetLimit, MandateReference } from '@mandate/schemas';
import type { ArgumentRules } from '../arguments/argument-rules.ts';
import type { GlobMatcher } from '../glob.ts';
import type { NameList } from '../models/name-lists.ts';
import type { ModelPrices } from '../prices/model-prices.ts';

export type Rate = { maxCalls: number; windowMs: number };

/** How a mandate or a tool charges. The amounts of tiers are part of the rule; an estimate comes with each action. */
export type ChargingRule =
  | { type: 'SUCCESS_BASED' }
  | { type: 'ATTEMPT_BASED' }
  | { type: 'TIERED'; attemptMicros: number; successMicros: number; verificationMicros: number };

export type Budget = { id: string; scope: BudgetLimit['scope']; maxMicros: number; windowMs: number | null };

/** How much the agent's own reports may release. */
export type Releases = { calls: number; percent: number } | 'unlimited';

export type ToolPolicy = {
  costMicros: number | null;
  maxCostPerCallMicros: number | null;
  maxActualMicros: number | null;
  rate: Rate | null;
  charging: ChargingRule | null;
  argumentRules: ArgumentRules | null;
  leaseMs: number | null;
  requiresConfirmation: boolean;
  questionMs: number | null;
  grantMs: number | null;
};

export type DefaultTokens = { input: number | null; maxOutput: number | null };

/** A compiled policy: one piece of authority. A field that is absent or null does not restrict anything. */
export type Policy = {
  /** The id that all versions of the policy share. Budgets with scope `mandate` are counted by it. */
  id: string;
  /** The name on records: `read-only@3`. Null if the policy is a whole mandate, as in a mandate file. */
  name: string | null;
  /** The ancestor that the policy was granted to. Null if it was granted to the agent itself. */
  ancestor: string | null;
  hash: string;
  /** True if a rule names the policy and it does not exist. It then allows nothing. */
  isMissing: boolean;
  observe: boolean;
  expiresAtMs: number | null;
  maxCostTotalMicros: number | null;
  maxCostPerCallMicros: number | null;
  maxActualMicros: number | null;
  releases: Releases;
  requireEstimate: boolean;
  defaultEstimateMicros: number | null;
  /** The most calls of an agent that may be open at one time. Null if the policy does not say. */
  maxOpen: number | 'unlimited' | null;
  budgets: readonly Budget[];
  rate: Rate | null;
  /** The most deferred actions of an agent that may wait for a person at one time. */
  maxWaiting: number | null;
  allowedTools: GlobMatcher | null;
  /** Tools that the holder's descendants may also call, although the holder itself may not. */
  delegableTools: GlobMatcher | null;
  deniedTools: GlobMatcher | null;
  allowedModels: NameList | null;
  deniedModels: NameList | null;
  allowedProviders: NameList | null;
  deniedProviders: NameList | null;
  /** The prices of its models. They replace the prices of the price lists. */
  modelPrices: ModelPrices | null;
  /** The tokens that an LLM call counts with if it states none. Null means that none are assumed. */
  defaultTokens: DefaultTokens;
  registry: ReadonlySet<string> | null;
  charging: ChargingRule;
  tools: ReadonlyMap<string, ToolPolicy>;
};

/** The authority of an agent: all of these policies at once, so only what each of them allows. */
export type Mandate = {
  reference: MandateReference;
  /** At least one. */
  policies: readonly Policy[];
};

/** A mandate that names the agents that hold it. */
export type MandateOfFile = Mandate & { agents: GlobMatcher; agentGlobs: readonly string[] };
