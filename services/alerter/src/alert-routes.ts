/** Alerts over HTTP: list them and their rules, replay them, send a test alert, and report or show what a reconciler found. */
import type { HttpReads } from '@mandate/access-log';
import { countAll, type HttpRoutes } from '@mandate/server';
import type { Alerter } from './alerter.ts';
import { lastReconcile } from './routes/last-reconcile.ts';
import { listAlertRules } from './routes/list-alert-rules.ts';
import { listAlerts } from './routes/list-alerts.ts';
import { replayAlerts } from './routes/replay-alerts.ts';
import { reportDrift } from './routes/report-drift.ts';
import { testAlerts } from './routes/test-alerts.ts';

/**
 * Returns the routes under /v1/alerts, and of /v1/reconcile, as a plugin for an HTTP server.
 *
 * @param reads records who reads alerts and who is refused, because alerts report what agents did; null: nothing is
 * recorded
 */
export function alertRoutes(alerter: Alerter, reads: HttpReads | null): HttpRoutes {
  return async (server) => {
    await server.register(async (shown) => {
      reads?.recordAll(shown);
      listAlerts(shown, alerter);
      listAlertRules(shown, alerter);
      lastReconcile(shown, alerter);
    });
    await server.register(async (changing) => {
      countAll(changing, 'changes');
      reads?.recordRefusals(changing);
      for (const route of [replayAlerts, testAlerts, reportDrift]) route(changing, alerter);
    });
  };
}
