/** Alerts over HTTP: what was raised and delivered, again, and on trial; and what a reconciler tells. */
import type { HttpReads } from '@mandate/access-log';
import { countAll, type HttpRoutes } from '@mandate/server';
import type { Alerter } from './alerter.ts';
import { listAlerts } from './routes/list-alerts.ts';
import { replayAlerts } from './routes/replay-alerts.ts';
import { reportDrift } from './routes/report-drift.ts';
import { testAlerts } from './routes/test-alerts.ts';

/**
 * Everything under /v1/alerts, as a plugin for an HTTP server of @mandate/runtime.
 *
 * @param reads with which it is on record who sees alerts, as they tell what agents did, and who is turned away; null: it is on none
 */
export function alertRoutes(alerter: Alerter, reads: HttpReads | null): HttpRoutes {
  return async (server) => {
    await server.register(async (shown) => {
      reads?.recordAll(shown);
      listAlerts(shown, alerter);
    });
    await server.register(async (changing) => {
      countAll(changing, 'changes');
      reads?.recordRefusals(changing);
      for (const route of [replayAlerts, testAlerts, reportDrift]) route(changing, alerter);
    });
  };
}
