/** Alerts over HTTP: what was raised and delivered, again, and on trial; and what a reconciler tells. */
import type { HttpRoutes } from '@mandate/runtime';
import type { Alerter } from './alerter.ts';
import { listAlerts } from './routes/list-alerts.ts';
import { replayAlerts } from './routes/replay-alerts.ts';
import { reportDrift } from './routes/report-drift.ts';
import { testAlerts } from './routes/test-alerts.ts';

/** Everything under /v1/alerts, as a plugin for an HTTP server of @mandate/runtime. */
export function alertRoutes(alerter: Alerter): HttpRoutes {
  return async (server) => {
    for (const route of [listAlerts, replayAlerts, testAlerts, reportDrift]) route(server, alerter);
  };
}
