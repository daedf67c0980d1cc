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
  description: 'Whether requests are decided, how fast, and what stands in the way.',
  source: 'prometheus',
  variables: [],
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Cannot work',
          description:
            'Checks of readiness that fail now. 0 is the only good answer; the table below names them.',
          kind: 'stat',
          unit: 'locale',
          alarming: { red: 1 },
          expressions: [{ expr: 'count(mandate_readiness_ok == 0) or vector(0)', legend: 'checks' }],
        },
        {
          title: 'Requests behind',
          description: 'Records on the log that no decider has decided yet, in all partitions together.',
          kind: 'stat',
          unit: 'locale',
          expressions: [
            { expr: 'sum(max by (topic, partition) (mandate_decider_lag_records))', legend: 'records' },
          ],
        },
        {
          title: 'Blocked',
          description: 'Share of the decisions that were BLOCK.',
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
            'Kills, grants and corrections that are in force and that the log has not taken. Above 0 for a minute: the log is away.',
          kind: 'stat',
          unit: 'locale',
          alarming: { red: 1 },
          expressions: [{ expr: 'sum(mandate_gateway_unlogged_commands)', legend: 'commands' }],
        },
        {
          title: 'Dead letters in a day',
          description: 'Records that nobody could read: `mandate dead-letters list`.',
          kind: 'stat',
          unit: 'locale',
          alarming: { yellow: 1, red: 100 },
          expressions: [{ expr: 'sum(increase(mandate_decider_deadletters_total[1d]))', legend: 'records' }],
        },
        {
          title: 'Quarantine in a day',
          description: 'Records that no table of the audit takes. It should stay 0.',
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
          description: 'Published by the deciders, each second.',
          kind: 'timeseries',
          unit: 'cps',
          stacked: true,
          byVerdict: true,
          expressions: rate('mandate_decider_decisions_total', 'verdict'),
        },
        {
          title: 'Why not',
          description: 'Decisions other than ALLOW by their code: docs/errors.md says what each means.',
          kind: 'timeseries',
          unit: 'cps',
          noneIsGood: true,
          stacked: true,
          expressions: rate('mandate_decider_decisions_total{verdict!="ALLOW"}', 'code'),
        },
        {
          title: 'Settlements',
          description: 'Outcomes that were booked, by what became of them.',
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
          title: 'Behind, by partition',
          description:
            'What falls steadily is caught up with. What rises needs more deciders, or a faster ledger.',
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
          title: 'A batch',
          description:
            'From records in hand to their offset committed: the ledger, the log and the decider together.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_decider_batch_seconds'),
        },
        {
          title: 'A step of the ledger',
          description: 'One atomic step for a batch: what Redis takes, or memory.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_decider_step_seconds'),
        },
        {
          title: 'Waits, halts and rebuilds',
          description:
            'Partitions that waited, by code; partitions that were left where they are; ledgers that came into force.',
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
          title: 'Answers by status',
          description: 'Of gateway and query service, each second.',
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
          title: 'How long an answer takes',
          description:
            'From the headers to the last byte. A request that waits for its decision waits here too.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_http_request_duration_seconds', 'service'),
        },
        {
          title: 'Refused at the door',
          description:
            'For their credentials or their rate. What rises is a key that was revoked, a loop, or somebody who tries keys.',
          kind: 'timeseries',
          unit: 'cps',
          noneIsGood: true,
          expressions: rate('mandate_http_refusals_total', 'code'),
        },
        {
          title: 'Published, waiting, withheld, killed',
          description:
            'Records published for callers; callers that wait for a decision; ALLOWs that a kill overtook; kill switches pulled.',
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
          description: 'Inserted each second, repeats among them.',
          kind: 'timeseries',
          unit: 'cps',
          expressions: rate('mandate_recorder_rows_total', 'table'),
        },
        {
          title: 'Behind, by partition',
          description: 'Records on the log that are not in the audit yet.',
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
          title: 'A flush',
          description: 'From gathered records to rows that ClickHouse has acknowledged.',
          kind: 'timeseries',
          unit: 's',
          expressions: percentiles('mandate_recorder_flush_seconds'),
        },
        {
          title: 'Questions without an answer, and waits',
          description: 'Questions that ClickHouse was away or too slow for; times that the recorder waited.',
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
          title: 'Raised, by rule',
          description: 'What people were to be told of.',
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
            'Attempts by webhook and what came of them: what failed is tried again, what is undelivered is kept.',
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
          title: 'Oldest that waits',
          description: 'Age of the oldest alert that its webhook has not taken.',
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
          description: 'What each process needs, and whether it has it.',
          kind: 'table',
          unit: 'locale',
          wide: true,
          answersYesOrNo: true,
          expressions: [{ expr: 'min by (instance, service, check) (mandate_readiness_ok)', legend: '' }],
        },
        {
          title: 'Event-loop lag, p99',
          description: 'What one turn in a hundred takes. Above a quarter of a second every answer is late.',
          kind: 'timeseries',
          unit: 's',
          expressions: [
            { expr: 'nodejs_eventloop_lag_p99_seconds{job="mandate"}', legend: '{{service}} {{instance}}' },
          ],
        },
        {
          title: 'Memory',
          description: 'Resident, of each process.',
          kind: 'timeseries',
          unit: 'bytes',
          expressions: [
            { expr: 'process_resident_memory_bytes{job="mandate"}', legend: '{{service}} {{instance}}' },
          ],
        },
        {
          title: 'CPU',
          description:
            'Cores in use by each process. A decider that uses one whole is at its limit: start another.',
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
