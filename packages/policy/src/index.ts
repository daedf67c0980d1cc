/**
 * @mandate/policy: what may happen. Pure: no I/O, no clock, no randomness; the same arguments give the same answer for
 * ever, and nothing throws.
 *
 * `loadMandates` reads what people wrote; `plan` asks of a request what can be known without state; the ledger judges
 * the limits that the plan names; `decide` turns both into a verdict with its explanation. The precedence stands in
 * decide.ts, on one screen; each check has a file under checks/.
 */
export { actionDigest } from './action-digest.ts';
export { compileArgumentRules } from './arguments/argument-rules.ts';
export { roomToWrite } from './arguments/pattern-size.ts';
export { type AgentRegister, type AgentStatus, agentRegister } from './control/agent-register.ts';
export {
  type ComposedIssue,
  composeIssue,
  type IssueComposed,
  policiesNamed,
} from './control/compose-issued.ts';
export { type Changed, type ControlFold, foldControl } from './control/control-state.ts';
export type { IssuedMandate } from './control/issued-mandates.ts';
export type { OpenedTenant } from './control/kept.ts';
export { type ControlDocuments, type LoadedControl, loadControl } from './control/load-control.ts';
export {
  type MandatesUnderControl,
  mandatesByRegister,
  mandatesUnderControl,
} from './control/mandates-under-control.ts';
export { type NearRule, nearRules } from './control/near-rules.ts';
export { type IssuePreview, previewIssue } from './control/preview-issue.ts';
export { previewMandate } from './control/preview-mandate.ts';
export type { ControlHead, ControlPlace } from './control/snapshot/control-line.ts';
export { readControl, readControlHead } from './control/snapshot/read-control.ts';
export { controlDigest, writeControl } from './control/snapshot/write-control.ts';
export { compileBounds } from './control/tenant-bounds.ts';
export type { TenantControl } from './control/tenant-control.ts';
export { foldChange, type WhatBecame } from './control/what-became.ts';
export { decide, type Judgement, plan } from './decide.ts';
export { decisionRecord } from './decision-record.ts';
export { canonicalJson, sha256Hex } from './digest.ts';
export { documentWarnings } from './doubts/document-warnings.ts';
export { effortOfAction } from './effort.ts';
export { compileGlobs } from './glob.ts';
export { agentWidening } from './lint/agent-widening.ts';
export { attributesAsked } from './lint/attributes-asked.ts';
export { type ControlChange, controlWidening } from './lint/control-widening.ts';
export type { LintFinding } from './lint/finding.ts';
export { type Linted, type LintedDocument, lintAround, lintControl } from './lint/lint-control.ts';
export { ruleWidening } from './lint/rule-widening.ts';
export { shortQuestions, WEEKEND_MS } from './lint/short-questions.ts';
export { widening, wideningByArrival } from './lint/widening.ts';
export { compilePolicy } from './mandate/compile-mandate.ts';
export { compose, missingPolicy, type NamedPolicy } from './mandate/compose.ts';
export { type DocumentFault, describeFault } from './mandate/document-fault.ts';
export { type DocumentSource, saysKind } from './mandate/documents-in.ts';
export { type LoadedMandates, loadMandates } from './mandate/load-mandates.ts';
export type { Mandate, MandateOfFile, Policy } from './mandate/mandate.ts';
export { type FindPlace, readDocuments, type SayFault } from './mandate/read-documents.ts';
export { type MandatesInForce, mandatesOfFile, planInForce } from './mandates-in-force.ts';
export { normalModel, normalProvider } from './models/normal-form.ts';
export { deadLetterId, decisionId, settlementId } from './record-ids.ts';
export { fingerprintOf } from './redaction/fingerprint.ts';
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
