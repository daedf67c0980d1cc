/**
 * @mandate/audit: the audit tables. The recorder fills ClickHouse tables from the log, and programs ask the questions
 * under queries/. The tables hold nothing that the log does not have: they can be dropped and recorded again.
 *
 * There is one port (`AuditClient`), so that ClickHouse may be a server or run in this process. It promises that no
 * row is lost (an insert is stored when it resolves) and that no answer counts a row twice (repeats share a sorting
 * key, and every question reads FINAL). Amounts are exact integers. Text from outside reaches SQL only as a bound
 * parameter.
 *
 * `ask(client, question, params)` asks a question. Every question about the records of a tenant takes the tenant. The
 * questions in queries/recorded.ts span tenants and are for Mandate itself.
 */

export { openEmbeddedAudit } from './embedded.ts';
export { exportPart } from './export-part.ts';
export { type AskAudit, controlEventFeed, decisionFeed, type Feed, settlementFeed } from './live/feed.ts';
export { type FeedPosition, placeOf, positionNow, positionSince, rowsAfter } from './live/follow.ts';
export { MIGRATIONS_DIRECTORY, migrate, missingMigrations } from './migrate.ts';
export { dropMonths, type Month, oldMonths } from './old-months.ts';
export { openAudit, openServerAsItIs } from './open-audit.ts';
export type { AuditClient, BoundParams } from './port.ts';
export { type Quarantined, quarantine } from './quarantine.ts';
export { type AnalyticsAnswer, analytics, analyticsAnswer, bucketsOf } from './queries/analytics.ts';
export { DIMENSION_NAMES, type Dimension, NEAR_MISS_AT } from './queries/analytics-source.ts';
export { approvals } from './queries/approvals.ts';
export { type BudgetRow, budgets, outlookOf } from './queries/budgets.ts';
export { deadLetterById, lettersById } from './queries/dead-letter-by-id.ts';
export { decisionById } from './queries/decision-by-id.ts';
export type { DecisionSummary } from './queries/decision-columns.ts';
export { type DecisionFilter, SHADOW_FILTERS } from './queries/decision-filter.ts';
export { decisionsOfAction } from './queries/decisions-of-action.ts';
export { epochBefore } from './queries/epoch-before.ts';
export { eventsBehind } from './queries/events-behind.ts';
export { EXPORT_FORMATS, EXPORTS, type Exportable, type ExportFormat } from './queries/export.ts';
export { groupOf } from './queries/grouping.ts';
export { identity } from './queries/identity.ts';
export { kills } from './queries/kills.ts';
export { latencies } from './queries/latencies.ts';
export { percentile, percentileOf } from './queries/latency-bounds.ts';
export { type Measures, NOTHING, ORDERS } from './queries/measures.ts';
export { MOVED_BY, movers } from './queries/movers.ts';
export { nearMisses } from './queries/near-misses.ts';
export { decisionsAfter, decisionsBefore } from './queries/neighbours.ts';
export { publications } from './queries/publications.ts';
export {
  changeRows,
  chargesByAgent,
  chargesByBudget,
  decisionRows,
  doubledActions,
  settlementRows,
} from './queries/reconciliation.ts';
export { recordedByPartition, tenantsRecorded } from './queries/recorded.ts';
export { childrenOf, decisionsOfTrace, duplicatesOf } from './queries/related-decisions.ts';
export { releases } from './queries/releases.ts';
export { answersTo, republicationsOf } from './queries/republications.ts';
export { searchContextBuilds } from './queries/search-context-builds.ts';
export { CONTROL_EVENTS, changeById, searchControlEvents } from './queries/search-control-events.ts';
export { searchDeadLetters } from './queries/search-dead-letters.ts';
export { searchDecisions } from './queries/search-decisions.ts';
export { searchIds } from './queries/search-ids.ts';
export { searchReads } from './queries/search-reads.ts';
export { searchSdkRecords } from './queries/search-sdk-records.ts';
export {
  type SettlementFilter,
  type SettlementSummary,
  searchSettlements,
} from './queries/search-settlements.ts';
export { source as bookedSource } from './queries/source.ts';
export { CONTROL_PARTITION, type FollowedControlEvent } from './queries/tail-source.ts';
export { INTERVALS, isTimeZone, timeline } from './queries/timeline.ts';
export { tokens } from './queries/tokens.ts';
export { usageOfAgent } from './queries/usage-of-agent.ts';
export { values } from './queries/values.ts';
export { waitingApprovals } from './queries/waiting-approvals.ts';
export { type Asked, ask, type Question } from './question.ts';
export {
  type InsertCounts,
  recordAuditReads,
  recordContextBuilds,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordRepublications,
  recordSdkRecords,
  recordSettlements,
} from './record.ts';
export type { Recorded } from './recorded.ts';
export { auditNowMs } from './retention/audit-now.ts';
export { newestFromMs, retentionStartMs } from './retention/months.ts';
export { dropPastRows, isSums, type PastRows, pastRows } from './retention/past-rows.ts';
export { recordRetentionStart, retentionStart, tenantRetentionStart } from './retention/retention-start.ts';
export {
  ANYBODY,
  ownerIfPast,
  type RecordOf,
  type RetentionStartOf,
  type TenantTableName,
} from './retention/tenant-tables.ts';
export { markRecordedSince } from './rollups/mark-touched.ts';
export { refreshRollups, waitingHours } from './rollups/refresh-rollups.ts';
export type { KeptBuild } from './rows/context-build-row.ts';
export { idOfChange, recordedChange } from './rows/control-change.ts';
export type { ControlEvent } from './rows/control-event-row.ts';
export { openServerAudit, type ServerAuditOptions } from './server.ts';
