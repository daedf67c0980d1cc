/**
 * The query service: the audit over HTTP. It answers which decisions were made and why, what was spent, what
 * operators did, and the sums that the reconciler needs. It only reads the tables that the recorder fills. Each read
 * is recorded on the log before the answer. The tenant is always that of the caller's key. Every answer is a page, a
 * limited list or a stream. If ClickHouse is away or slow, the answer is 503 in bounded time.
 */

import { recordHttpReads } from '@mandate/access-log';
import { type AuditClient, ask, identity } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { answers, type Clock, type Logger, type ReadinessCheck } from '@mandate/runtime';
import type { HttpRoutes, Metrics } from '@mandate/server';
import { askWithin, boundedWork, exportWithin } from './bounded-ask.ts';
import { analytics } from './routes/analytics.ts';
import { analyticsBudgets } from './routes/analytics-budgets.ts';
import { analyticsLatency } from './routes/analytics-latency.ts';
import { analyticsMovers } from './routes/analytics-movers.ts';
import { analyticsNearMisses } from './routes/analytics-near-misses.ts';
import { analyticsRankings } from './routes/analytics-rankings.ts';
import { analyticsReleases } from './routes/analytics-releases.ts';
import { analyticsTokens } from './routes/analytics-tokens.ts';
import { explainDecision } from './routes/explain-decision.ts';
import { exportAudit } from './routes/export-audit.ts';
import { listApprovals } from './routes/list-approvals.ts';
import { listContextBuilds } from './routes/list-context-builds.ts';
import { listControlEvents } from './routes/list-control-events.ts';
import { listDeadLetters } from './routes/list-dead-letters.ts';
import { listKills } from './routes/list-kills.ts';
import { listReads } from './routes/list-reads.ts';
import { listSdkRecords } from './routes/list-sdk-records.ts';
import { listValues } from './routes/list-values.ts';
import { searchDecisions } from './routes/search-decisions.ts';
import { searchByIds } from './routes/search-ids.ts';
import { searchSettlements } from './routes/search-settlements.ts';
import { showApproval } from './routes/show-approval.ts';
import { showChange } from './routes/show-change.ts';
import { showDeadLetter } from './routes/show-dead-letter.ts';
import { showDecision } from './routes/show-decision.ts';
import { showKill } from './routes/show-kill.ts';
import { streamLive } from './routes/stream-live.ts';
import { sums } from './routes/sums.ts';

export type QueryOptions = {
  audit: AuditClient;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
  /** How long a question may take, in milliseconds. After this time the answer is 503. Default 10,000. */
  timeoutMs?: number;
  /**
   * The log that records every read before its answer. Null: reads are not recorded, and a warning is logged once.
   */
  bus: Pick<Bus, 'append'> | null;
  /** Removes personal data from the record of a read. If absent, nothing is removed. */
  redactText?: (text: string) => string;
};

const ROUTES = [
  searchDecisions,
  showDecision,
  explainDecision,
  searchSettlements,
  streamLive,
  exportAudit,
  analytics,
  analyticsRankings,
  analyticsLatency,
  analyticsNearMisses,
  analyticsMovers,
  analyticsBudgets,
  analyticsReleases,
  analyticsTokens,
  listApprovals,
  showApproval,
  listControlEvents,
  showChange,
  listKills,
  showKill,
  listDeadLetters,
  showDeadLetter,
  listReads,
  listSdkRecords,
  listContextBuilds,
  listValues,
  searchByIds,
  sums,
];

/** Returns the routes under /v1/audit and /v1/approvals, as a plugin for an HTTP server of @mandate/server. */
export function queryRoutes(options: QueryOptions): HttpRoutes {
  const { audit, log, metrics, clock, timeoutMs = 10_000, bus, redactText = (text) => text } = options;
  const bounded = boundedWork({ log, metrics, timeoutMs });
  const context = { ask: askWithin(bounded, audit), file: exportWithin(bounded, audit), clock };
  return async (server) => {
    if (bus === null) log.warn('reads of the audit are not recorded: MANDATE_QUERY_RECORD_READS is off');
    else recordHttpReads({ bus, source: 'query', clock, log, timeoutMs, redactText }).recordAll(server);
    for (const route of ROUTES) route(server, context);
  };
}

/** Says whether questions can be answered now. This also fails if ClickHouse answers but has no tables. */
export async function queryReadiness(audit: AuditClient): Promise<readonly ReadinessCheck[]> {
  const asked = ask(audit, identity, {}).then(() => {});
  return [await answers('audit', asked)];
}
