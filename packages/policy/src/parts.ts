/**
 * @mandate/policy/parts: the parts of the kernel that @mandate/control uses: rules, conditions, step budgets, digests
 * and normal forms of names. Other packages use `@mandate/policy`.
 */

export { narrowsValidator } from './arguments/argument-rules.ts';
export { isAnchored } from './arguments/pattern-anchors.ts';
export { patternSize } from './arguments/pattern-size.ts';
export { PatternRefused } from './arguments/pattern-to-re2.ts';
export { digestOf, type Sha256OfPieces, sha256OfPieces } from './digest.ts';
export { alikeTools, type Doubt, listDoubts, policyDoubts } from './doubts/document-doubts.ts';
export type { WrittenPolicy } from './doubts/document-warnings.ts';
export { lookAlikes } from './doubts/look-alikes.ts';
export type { GlobMatcher } from './glob.ts';
export { dutiesAt } from './governance/duties.ts';
export type { Compiled } from './mandate/compile-mandate.ts';
export { withTenantLimits } from './mandate/compose.ts';
export type { Rate, UnitLimitRule } from './mandate/mandate.ts';
export type { MandateInForce } from './mandates-in-force.ts';
export { callNames, type ListedNames } from './models/call-names.ts';
export { PROVIDERS } from './models/known-providers.ts';
export {
  compileModels,
  compileProviders,
  modelPatterns,
  type NameList,
  providerPatterns,
} from './models/name-lists.ts';
export { withoutVersion } from './models/spellings.ts';
export { priceOf, pricingOf } from './price.ts';
export { type Decimal, decimalOf, digitsUp } from './prices/decimal.ts';
export { compileModelPrices } from './prices/model-prices.ts';
export { type RecentlyUsed, recentlyUsed } from './recently-used.ts';
export {
  agentRetired,
  grantRequired,
  noRuleMatches,
  refusedPlan,
  tenantClosed,
  tooCostly,
} from './refused-plan.ts';
export {
  candidateOf,
  isInForce,
  mayMatch,
  OF_RULE,
  type StepBudgets,
  stepBudgetsOfAction,
} from './rules/ask-rules.ts';
export { claimsOf } from './rules/claims.ts';
export { type CompiledCondition, type FieldPath, fieldOf, typeOf } from './rules/condition.ts';
export { type Ancestor, createDelegation } from './rules/delegation.ts';
export { conjuncts } from './rules/rule.ts';
export { rulesByGroup } from './rules/rules-by-group.ts';
export {
  COMPOSED,
  type InShadow,
  inOrder,
  type PolicyLookup,
  type Remembered,
} from './rules/rules-in-force.ts';
export { type RuleChange, type RulesOfAgents, rulesOfAgents } from './rules/rules-of-agents.ts';
export { consume, type StepBudget } from './step-budget.ts';
