/**
 * @mandate/policy: what agents may do. The package is pure: no I/O, no clock, no randomness. The same arguments
 * always give the same answer, and nothing throws.
 *
 * `plan` checks the part of a request that needs no state. The ledger checks the limits that the plan names. `decide`
 * turns the plan and the ledger's facts into a verdict with its explanation. The precedence of all checks is in
 * decide.ts, on one screen. Each check has a file under checks/.
 *
 * This package decides on compiled mandates. `@mandate/policy/documents` compiles mandates from documents. It is
 * separate because it loads a YAML parser.
 */
export { actionDigest } from './action-digest.ts';
export { NOTHING } from './arguments/argument-fault.ts';
export { compileArgumentRules } from './arguments/argument-rules.ts';
export { roomToWrite } from './arguments/pattern-size.ts';
export { NO_SUCH_FIELD } from './arguments/schema/object-keywords.ts';
export { compileSchemaRules } from './arguments/schema-rules.ts';
export { budgetsInForce, leastRemaining } from './budgets-in-force.ts';
export { decide, decideUnspent, type Judgement, plan } from './decide.ts';
export { decisionRecord } from './decision-record.ts';
export { canonicalJson, sha256Hex } from './digest.ts';
export { compileGlobs } from './glob.ts';
export { compileMandate, compilePolicy } from './mandate/compile-mandate.ts';
export { compose, missingPolicy, type NamedPolicy } from './mandate/compose.ts';
export { composeWithAncestors } from './mandate/compose-with-ancestors.ts';
export type { Mandate, MandateOfFile, Policy } from './mandate/mandate.ts';
export { type MandatesInForce, mandatesOfFile, planInForce } from './mandates-in-force.ts';
export { normalModel, normalProvider } from './models/normal-form.ts';
export { type AskedTool, permittedTools, type ToolCaller } from './permitted-tools.ts';
export { type KnownPrice, knownPrices, LISTS_PUBLISHED } from './prices/known-prices.ts';
export { listedPrices } from './prices/listed-prices.ts';
export { deadLetterId, decisionId, settlementId } from './record-ids.ts';
export { fingerprintOf } from './redaction/fingerprint.ts';
export { governedRedaction, type SensitiveFields } from './redaction/governed-redaction.ts';
export { ERASED, isPlaceholder, placeholdersIn, REDACTED, SEALED_TEXT } from './redaction/placeholders.ts';
export { keyedHash } from './redaction/redact.ts';
export { compileActionRedaction } from './redaction/redact-action.ts';
export { internalError } from './refused-plan.ts';
export type { AgentAttributes } from './rules/ask-rules.ts';
export { type ConditionSubject, compileCondition } from './rules/condition.ts';
export { compileRule, type Rule } from './rules/rule.ts';
export {
  type Resolved,
  type RulesInForce,
  rulesInForce,
} from './rules/rules-in-force.ts';
export { settlementRecord } from './settlement-record.ts';
export { stepBudgetOfAction } from './step-budget.ts';
