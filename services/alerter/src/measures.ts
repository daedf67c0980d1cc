import type { Metrics } from '@mandate/server';

export type AlerterMeasures = ReturnType<typeof alerterMeasures>;

/**
 * The alerter's metrics. Each label has a limited number of values: rules and results are closed sets, and webhooks
 * come from the rule file.
 */
export function alerterMeasures(metrics: Metrics) {
  return {
    raised: metrics.counter({
      name: 'mandate_alerter_alerts_total',
      help: 'Alerts raised, by rule',
      labels: ['rule'],
    }),
    deliveries: metrics.counter({
      name: 'mandate_alerter_deliveries_total',
      help: 'Delivery attempts by webhook and result: delivered, failed (tried again), undelivered',
      labels: ['webhook', 'result'],
    }),
    waiting: metrics.gauge({
      name: 'mandate_alerter_waiting_deliveries',
      help: 'Deliveries that wait for their webhook, at this alerter',
    }),
    oldest: metrics.gauge({
      name: 'mandate_alerter_oldest_undelivered_seconds',
      help: 'Age of the oldest alert that waits for a webhook; 0 if no alert waits',
    }),
    lag: metrics.gauge({
      name: 'mandate_alerter_lag_records',
      help: 'Records on the log that the alerter has not read yet',
      labels: ['topic', 'partition'],
    }),
    waits: metrics.counter({
      name: 'mandate_alerter_waits_total',
      help: 'Times that the alerter waited for the log, by error code',
      labels: ['code'],
    }),
  };
}
