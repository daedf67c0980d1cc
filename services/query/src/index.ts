/** The exports for a plane and for tests. app.ts describes the query service. */
export { type QueryOptions, queryReadiness, queryRoutes } from './app.ts';
export { queryConfig, querySettings } from './config.ts';
export { whatWouldChange } from './explain/what-would-change.ts';
export { createFindDecision, type FindDecision } from './find-decision.ts';
export { createFindUsage } from './find-usage.ts';
export { openQuery } from './open-query.ts';
export type { Explanation } from './routes/explain-decision.ts';
