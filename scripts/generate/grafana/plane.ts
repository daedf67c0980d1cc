/** The dashboard for people who keep a plane running, from /metrics through Prometheus. */
import type { Dashboard, Expression } from './dashboard.ts';

const RATE = '[$__rate_interval]';

function rate(metric: string, by: string, legend = `{{${by}}}`): Expression[] {
  return [{ expr: `sum by (${by}) (rate(${metric}${RATE}))`, legend }];
}

/** The median and the 99th percentile of a histogram. */
function percentiles(histogram: string, by = ''): Expression[] {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const named = by === '' ? '' : `{{${by}}} `;
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${labels}) (rate(${histogram}_bucket${RATE})))`,
    legend: `${named}p${quantile * 100}`,
  }));
}

export const planeDashboard: Dashboard = {
  uid: 'mandate-plane',
  title: 'Mandate: the plane',
  description: 'Shows whether requests are decided, how fast, and which faults there are.',
  source: 'prometheus',
  variables: [],
  rows: [
    {
      title: 'Overview',
      panels: [
        {
          title: 'Failing readiness checks',
          description:
            'The number of readiness checks that fail now. It should be 0. The table "Readiness" names them.',
          kind: 'stat',
          unit: 'locale',
          alarming: { red: 1 },
          expressions: [{ expr: 'count(mandate_readiness_ok == 0) or vector(0)', legend: 'checks' }],
        },
        {
          title: 'Undecided requests',
          description: 'The records of all partitions that no decider has decided yet.',
          kind: 'stat',
          unit: 'locale',
          expressions: [
            { expr: 'sum(max by (topic, partition) (mandate_decider_lag_records))', legend: 'records' },
          ],
        },
        {
          title: 'Blocked',
          description: 'The share of decisions with the verdict BLOCK.',
          kind: 'stat',
          unit: 'percentunit',
          expressions: [
            {
              expr: `(sum(rate(mandate_decider_decisions_total{verdict="BLOCK"}${RATE})) or vector(0)) / sum(rate(mandate_decider_decisions_total${RATE}))`,
              legend: 'share',
            },
          ],
        },
        {
          title: 'Not yet on the log',
          description:
            'Kills, grants and corrections that are in force, but are not on the log yet. If the number is above 0 for a minute, the log is unavailable.',
          kind: 'stat',
          unit: 'locale',
          alarming: { red: 1 },
          expressions: [{ expr: 'sum(mandate_gateway_unlogged_commands)', legend: 'commands' }],
        },
        {
          title: 'Dead letters in a day',
          description: 'Records that no service could read. `mandate dead-letters list` lists them.',
          kind: 'stat',
          unit: 'locale',
          alarming: { yellow: 1, red: 100 },
          expressions: [{ expr: 'sum(increase(mandate_decider_deadletters_total[1d]))', legend: 'records' }],
        },
        {
          title: 'Quarantine in a day',
          description: 'Records that the audit could not store. The number should be 0.',
          kind: 'stat',
          unit: 'locale',
          alarming: { red: 1 },
          expressions: [
            { expr: 'sum(increase(mandate_recorder_rows_total{table="quarantine"}[1d]))', legend: 'records' },
          ],
        },
      ],
    },
    {
      title: 'Decisions',
      panels: [
        {
          title: 'Decisions by verdict',
          description: 'The decisions that deciders publish, per second.',
          kind: 'timeseries',
          unit: 'cps',
          stacked: true,
          byVerdict: true,
          expressions: rate('mandate_decider_decisions_total', 'verdict'),
        },
        {
          title: 'Refusals by code',
          description: 'The decisions BLOCK and DEFER by code. docs/errors.md explains each code.',
          kind: 'timeseries',
          unit: 'cps',
          noneIsGood: true,
          stacked: true,
          expressions: rate('mandate_decider_decisions_total{verdict!="ALLOW"}', 'code'),
        },
        {
          title: 'Settlements',
          description: 'The settled outcomes, by result.',
          kind: 'timeseries',
          unit: 'cps',
          expressions: rate('mandate_decider_settlements_total', 'code'),
        },
      ],
    },
    {
      title: 'Deciders',
      panels: [
        {
          title: 'Undecided requests by partition',
          description:
            'The undecided records of each partition. If the number rises, add deciders, or use a faster ledger.',
          kind: 'timeseries',
          unit: 'short',
          expressions: [
            {
              expr: 'max by (topic, partition) (mandate_decider_lag_records)',
              legend: '{{topic}}/{{partition}}',
            },
          ],
        },
        {
          title: 'Time of a batch',
          description:
            'The time from reading the records to committing their offset: ledger, log and decider together.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_decider_batch_seconds'),
        },
        {
          title: 'Time of a step of the ledger',
          description: 'The time of one atomic step for a batch, in Redis or in memory.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_decider_step_seconds'),
        },
        {
          title: 'Waits, halts and rebuilds',
          description: 'Partitions that waited, by code; partitions that halted; ledgers that were rebuilt.',
          kind: 'timeseries',
          unit: 'short',
          noneIsGood: true,
          expressions: [
            {
              expr: `sum by (code) (increase(mandate_decider_waits_total${RATE}))`,
              legend: 'waited: {{code}}',
            },
            { expr: 'sum by (code) (mandate_decider_halts_total)', legend: 'halted: {{code}}' },
            { expr: `sum(increase(mandate_decider_ledger_epochs_total${RATE}))`, legend: 'epochs' },
          ],
        },
      ],
    },
    {
      title: 'HTTP',
      panels: [
        {
          title: 'Responses by status',
          description: 'The responses of the HTTP services, per second.',
          kind: 'timeseries',
          unit: 'cps',
          stacked: true,
          expressions: rate(
            'mandate_http_request_duration_seconds_count',
            'service, status',
            '{{service}} {{status}}',
          ),
        },
        {
          title: 'Response time',
          description:
            'The time from the headers of the request to the last byte of the response. It includes the wait for a decision.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_http_request_duration_seconds', 'service'),
        },
        {
          title: 'Refused before routing',
          description:
            'Requests that were refused for their credentials or their rate. A rise means a revoked key, a loop, or an attack that guesses keys.',
          kind: 'timeseries',
          unit: 'cps',
          noneIsGood: true,
          expressions: rate('mandate_http_refusals_total', 'code'),
        },
        {
          title: 'Published, waiting, withheld, killed',
          description:
            'Records published for callers; callers that wait for a decision; ALLOWs that were withheld because of a later kill; kills.',
          kind: 'timeseries',
          unit: 'short',
          expressions: [
            {
              expr: `sum by (event) (rate(mandate_gateway_published_total${RATE}))`,
              legend: '{{event}} a second',
            },
            { expr: 'sum(mandate_gateway_waiting_answers)', legend: 'waiting' },
            { expr: `sum(increase(mandate_gateway_withheld_total${RATE}))`, legend: 'withheld' },
            {
              expr: `sum by (scope) (increase(mandate_gateway_kills_total${RATE}))`,
              legend: 'killed: {{scope}}',
            },
          ],
        },
      ],
    },
    {
      title: 'The audit',
      panels: [
        {
          title: 'Rows by table',
          description: 'The rows that are inserted per second, with repeats.',
          kind: 'timeseries',
          unit: 'cps',
          expressions: rate('mandate_recorder_rows_total', 'table'),
        },
        {
          title: 'Unrecorded records by partition',
          description: 'The records of the log that are not in the audit yet.',
          kind: 'timeseries',
          unit: 'short',
          expressions: [
            {
              expr: 'max by (topic, partition) (mandate_recorder_lag_records)',
              legend: '{{topic}}/{{partition}}',
            },
          ],
        },
        {
          title: 'Time of an insert',
          description: 'The time from a complete batch to the acknowledgement of ClickHouse.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_recorder_flush_seconds'),
        },
        {
          title: 'Failed questions, and waits',
          description:
            'Questions that failed because ClickHouse was unavailable or too slow; waits of the recorder.',
          kind: 'timeseries',
          unit: 'short',
          noneIsGood: true,
          expressions: [
            {
              expr: `sum by (cause) (increase(mandate_query_failures_total${RATE}))`,
              legend: 'question: {{cause}}',
            },
            {
              expr: `sum by (code) (increase(mandate_recorder_waits_total${RATE}))`,
              legend: 'recorder: {{code}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Alerts',
      panels: [
        {
          title: 'Alerts by rule',
          description: 'The alerts that were raised.',
          kind: 'timeseries',
          unit: 'short',
          noneIsGood: true,
          stacked: true,
          expressions: [
            { expr: `sum by (rule) (increase(mandate_alerter_alerts_total${RATE}))`, legend: '{{rule}}' },
          ],
        },
        {
          title: 'Deliveries',
          description:
            'The attempts by webhook and result. Failed deliveries are tried again. Undelivered alerts are kept.',
          kind: 'timeseries',
          unit: 'short',
          expressions: [
            {
              expr: `sum by (webhook, result) (increase(mandate_alerter_deliveries_total${RATE}))`,
              legend: '{{webhook}} {{result}}',
            },
          ],
        },
        {
          title: 'Oldest waiting alert',
          description: 'The age of the oldest alert that its webhook has not accepted.',
          kind: 'timeseries',
          unit: 's',
          noneIsGood: true,
          expressions: [{ expr: 'max(mandate_alerter_oldest_undelivered_seconds)', legend: 'age' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Readiness',
          description: 'The readiness checks of each process, and their results.',
          kind: 'table',
          unit: 'locale',
          wide: true,
          answersYesOrNo: true,
          expressions: [{ expr: 'min by (instance, service, check) (mandate_readiness_ok)', legend: '' }],
        },
        {
          title: 'Event-loop lag, p99',
          description:
            'One turn of the event loop in a hundred takes longer than this. Above 0.25 s, every response is late.',
          kind: 'timeseries',
          unit: 's',
          expressions: [
            { expr: 'nodejs_eventloop_lag_p99_seconds{job="mandate"}', legend: '{{service}} {{instance}}' },
          ],
        },
        {
          title: 'Memory',
          description: 'The resident memory of each process.',
          kind: 'timeseries',
          unit: 'bytes',
          expressions: [
            { expr: 'process_resident_memory_bytes{job="mandate"}', legend: '{{service}} {{instance}}' },
          ],
        },
        {
          title: 'CPU',
          description:
            'The cores that each process uses. A decider that uses a whole core is at its limit: start another decider.',
          kind: 'timeseries',
          unit: 'short',
          expressions: [
            {
              expr: `rate(process_cpu_seconds_total{job="mandate"}${RATE})`,
              legend: '{{service}} {{instance}}',
            },
          ],
        },
      ],
    },
  ],
};
