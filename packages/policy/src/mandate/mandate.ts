/** A mandate, compiled: what the checks read. Amounts in micro-dollars, matchers ready, everything immutable. */
import type { BudgetLimit, MandateReference } from '@mandate/schemas';
import type { ArgumentRules } from '../arguments/argument-rules.ts';
import type { GlobMatcher } from '../glob.ts';

type Rate = { maxCalls: number; windowMs: number };

/** How a mandate or a tool charges: the tiers stand here, an estimate comes with each action. */
export type ChargingRule =
  | { type: 'SUCCESS_BASED' }
  | { type: 'ATTEMPT_BASED' }
  | { type: 'TIERED'; attemptMicros: number; successMicros: number; verificationMicros: number };

export type Budget = { id: string; scope: BudgetLimit['scope']; maxMicros: number; windowMs: number | null };

export type ToolPolicy = {
  costMicros: number | null;
  maxCostPerCallMicros: number | null;
  rate: Rate | null;
  charging: ChargingRule | null;
  argumentRules: ArgumentRules | null;
  leaseMs: number | null;
  requiresConfirmation: boolean;
};

export type Mandate = {
  reference: MandateReference;
  observe: boolean;
  agents: GlobMatcher;
  expiresAtMs: number | null;
  maxCostTotalMicros: number | null;
  maxCostPerCallMicros: number | null;
  /** In the order in which they are judged: lifetime before windowed, narrow scopes before wide ones. */
  budgets: readonly Budget[];
  rate: Rate | null;
  allowedTools: GlobMatcher | null;
  deniedTools: GlobMatcher | null;
  allowedModels: GlobMatcher | null;
  deniedModels: GlobMatcher | null;
  registry: ReadonlySet<string> | null;
  charging: ChargingRule;
  tools: ReadonlyMap<string, ToolPolicy>;
};
