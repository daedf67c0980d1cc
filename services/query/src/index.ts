/** What a plane and tests import from the query service. app.ts says what it does. */
export { type QueryOptions, queryReadiness, queryRoutes } from './app.ts';
export { queryConfig, querySettings } from './config.ts';
export { whatWouldChange } from './explain/what-would-change.ts';
export { createFindDecision, type FindDecision } from './find-decision.ts';
export { openQuery } from './open-query.ts';
export type { Explanation } from './routes/explain-decision.ts';
