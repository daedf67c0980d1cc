/** Policies and mandates, compiled: what the checks read. Amounts in micro-dollars, matchers ready, everything immutable. */
import type { BudgetLimit, MandateReference } from '@mandate/schemas';
import type { ArgumentRules } from '../arguments/argument-rules.ts';
import type { GlobMatcher } from '../glob.ts';
import type { NameList } from '../models/name-lists.ts';
import type { ModelPrices } from '../prices/model-prices.ts';

export type Rate = { maxCalls: number; windowMs: number };

/** How a mandate or a tool charges: the tiers stand here, an estimate comes with each action. */
export type ChargingRule =
  | { type: 'SUCCESS_BASED' }
  | { type: 'ATTEMPT_BASED' }
  | { type: 'TIERED'; attemptMicros: number; successMicros: number; verificationMicros: number };

export type Budget = { id: string; scope: BudgetLimit['scope']; maxMicros: number; windowMs: number | null };

/** How much an agent's own reports may give back. */
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

/** One piece of authority. What is absent in it is left open. */
export type Policy = {
  /** The id of all its versions: a budget of scope `mandate` is counted by it. */
  id: string;
  /** As records name it, `read-only@3`; null where it is the whole mandate, as in a file. */
  name: string | null;
  /** The ancestor that the policy was given to; null: it was given to the agent itself. */
  holder: string | null;
  hash: string;
  /** A rule names it, and it is not there: nothing is allowed under it. */
  isMissing: boolean;
  observe: boolean;
  expiresAtMs: number | null;
  maxCostTotalMicros: number | null;
  maxCostPerCallMicros: number | null;
  maxActualMicros: number | null;
  releases: Releases;
  requireEstimate: boolean;
  defaultEstimateMicros: number | null;
  /** How many calls of an agent may be open at one time; null: the policy does not say. */
  maxOpen: number | 'unlimited' | null;
  budgets: readonly Budget[];
  rate: Rate | null;
  /** How many deferred actions of an agent may wait for a person at one time. */
  maxWaiting: number | null;
  allowedTools: GlobMatcher | null;
  /** What it allows besides to agents below its holder. */
  delegableTools: GlobMatcher | null;
  deniedTools: GlobMatcher | null;
  allowedModels: NameList | null;
  deniedModels: NameList | null;
  allowedProviders: NameList | null;
  deniedProviders: NameList | null;
  /** What its models cost, in the place of what the price lists say. */
  modelPrices: ModelPrices | null;
  /** The tokens of LLM calls that do not state them; null: nothing is assumed. */
  defaultTokens: DefaultTokens;
  registry: ReadonlySet<string> | null;
  charging: ChargingRule;
  tools: ReadonlyMap<string, ToolPolicy>;
};

/** The authority that an agent holds: all of these policies at once, and so what each of them allows. */
export type Mandate = {
  reference: MandateReference;
  /** Never none. */
  policies: readonly Policy[];
};

/** A mandate that says itself who holds it. */
export type MandateOfFile = Mandate & { agents: GlobMatcher; agentGlobs: readonly string[] };
