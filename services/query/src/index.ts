/** The exports for a plane and for tests. app.ts describes the query service. */
export { type QueryOptions, queryReadiness, queryRoutes } from './app.ts';
export type { ApprovalFound } from './approval-found.ts';
export { queryConfig, querySettings } from './config.ts';
export { whatWouldChange } from './explain/what-would-change.ts';
export { createFindDecision, type FindDecision } from './find-decision.ts';
export { createFindUsage } from './find-usage.ts';
export type { ControlEventFound, DecisionFound, SettlementFound } from './found-rows.ts';
export type { KillFound } from './kill-found.ts';
export { openQuery } from './open-query.ts';
export type { Analytics } from './routes/analytics.ts';
export type { BudgetFound } from './routes/analytics-budgets.ts';
export type { Mover } from './routes/analytics-movers.ts';
export type { Explanation } from './routes/explain-decision.ts';
export type { DeadLetterFound } from './routes/list-dead-letters.ts';
export type { ReadFound } from './routes/list-reads.ts';
export type { ValueFound } from './routes/list-values.ts';
export type { IdFound } from './routes/search-ids.ts';
