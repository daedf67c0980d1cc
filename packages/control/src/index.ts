/**
 * @mandate/control: the content of the control topic as state. The records of the topic change the agents, policies,
 * rules, grants and tenant limits of each tenant.
 *
 * `foldControl` applies records in the order of the log and reports the outcome of each. `mandatesUnderControl` gives
 * the decider the mandate of an agent that is in force at a time. `previewMandate` and `previewIssue` answer the same
 * question for changes that were not made yet. `writeControl` and `readControl` store the state as lines of text.
 *
 * The package is pure, like @mandate/policy, on which it depends: no I/O, no clock, no randomness. Services call it
 * between the log and HTTP. Findings about documents are exported separately, as `@mandate/control/lint`, because
 * deciders do not need them.
 */

export { type AgentRegister, type AgentStatus, agentRegister } from './agent-register.ts';
export { type AlmostMatchingRule, almostMatchingRules } from './almost-matching-rules.ts';
export { applyRecord, type ChangeOutcome } from './change-outcome.ts';
export { type ComposedGrant, composeGrant, type GrantComposed, policiesNamed } from './compose-grant.ts';
export { type Changed, type ControlFold, foldControl, type Tried } from './control-state.ts';
export { type Effective, effectiveOf } from './effective.ts';
export type { Grant } from './grants.ts';
export { type ControlDocuments, type LoadedControl, loadControl } from './load-control.ts';
export {
  type MandatesUnderControl,
  mandatesByRegister,
  mandatesUnderControl,
} from './mandates-under-control.ts';
export type { ManifestHistory, ManifestVersion } from './manifests/manifest-history.ts';
export { manifestOfAgent } from './manifests/manifest-of-agent.ts';
export { singleChanges } from './manifests/single-changes.ts';
export { idsTaken } from './manifests/validate-manifest.ts';
export { type IssuePreview, previewIssue } from './preview-issue.ts';
export { plannedObligations, previewMandate, withPlannedAgents } from './preview-mandate.ts';
export type { OpenedTenant } from './revisioned.ts';
export type { ControlHead, ControlPosition } from './snapshot/control-line.ts';
export { readControl, readControlHead } from './snapshot/read-control.ts';
export { controlDigest, writeControl } from './snapshot/write-control.ts';
export type { TenantControl } from './tenant-control.ts';
export { compileTenantLimits } from './tenant-limits.ts';
