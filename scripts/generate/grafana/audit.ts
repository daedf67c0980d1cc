/**
 * The dashboard of whoever answers for what agents do: from the audit's tables in ClickHouse. As every question of
 * packages/audit: FINAL, so that repeats count once; NOT void, so that what a newer ledger overruled does not count; and
 * the tenant, which the row policies of the data source's user hold to as well.
 */
import type { Dashboard } from './dashboard.ts';

const TENANT = `\${tenant:sqlstring}`;
const AGENTS = `$__conditionalAll(agent_id IN (\${agent:sqlstring}), $agent)`;
const COUNTED = `tenant = ${TENANT} AND NOT void`;
const DECIDED = `${COUNTED} AND $__timeFilter(decided_at) AND ${AGENTS}`;
const SETTLED = `${COUNTED} AND kind = 'settled' AND $__timeFilter(settled_at) AND ${AGENTS}`;

/** A charge is booked when it was decided, what an outcome changed when that was settled. */
const BOOKED = `(
  SELECT decided_at AS at, agent_id, charged_micros AS micros FROM decisions FINAL WHERE ${DECIDED}
  UNION ALL
  SELECT settled_at AS at, agent_id, delta_micros AS micros FROM settlements FINAL WHERE ${SETTLED}
)`;

const LATENCY = "dateDiff('millisecond', appended_at, decided_at)";

export const auditDashboard: Dashboard = {
  uid: 'mandate-audit',
  title: 'Mandate: what agents do',
  description: 'Decisions, spend, budgets and what operators did, of one tenant, from the audit.',
  source: 'clickhouse',
  variables: [
    { name: 'tenant', label: 'Tenant', initially: 'default' },
    {
      name: 'agent',
      label: 'Agent',
      query: `SELECT agent_id FROM decisions WHERE ${COUNTED} AND $__timeFilter(decided_at) GROUP BY agent_id ORDER BY count() DESC LIMIT 500`,
    },
  ],
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Decisions',
          description: 'Every record counts, duplicates too.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT count() AS decisions FROM decisions FINAL WHERE ${DECIDED}`,
        },
        {
          title: 'Blocked',
          description: 'Share of the decisions that were BLOCK.',
          kind: 'stat',
          unit: 'percentunit',
          sql: `SELECT countIf(verdict = 'BLOCK') / greatest(count(), 1) AS blocked FROM decisions FINAL WHERE ${DECIDED}`,
        },
        {
          title: 'Spent',
          description: 'What decisions reserved, with what outcomes gave back or added.',
          kind: 'stat',
          unit: 'currencyUSD',
          sql: `SELECT sum(micros) / 1e6 AS spent FROM ${BOOKED}`,
        },
        {
          title: 'Agents',
          description: 'That asked for anything.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT uniqExact(agent_id) AS agents FROM decisions FINAL WHERE ${DECIDED}`,
        },
        {
          title: 'Let through by observing',
          description: 'Would have been blocked, under a mandate that only observes.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT countIf(observed_verdict != '') AS observed FROM decisions FINAL WHERE ${DECIDED}`,
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Decisions by verdict',
          description: 'How decisions fell.',
          kind: 'timeseries',
          unit: 'short',
          stacked: true,
          byVerdict: true,
          sql: `SELECT $__timeInterval(decided_at) AS time, toString(verdict) AS verdict, count() AS decisions
FROM decisions FINAL WHERE ${DECIDED} GROUP BY time, verdict ORDER BY time`,
        },
        {
          title: 'Spend',
          description: 'Booked in each interval. Below zero: more was given back than reserved.',
          kind: 'timeseries',
          unit: 'currencyUSD',
          sql: `SELECT $__timeInterval(at) AS time, sum(micros) / 1e6 AS spent FROM ${BOOKED} GROUP BY time ORDER BY time`,
        },
        {
          title: 'From the log to the decision',
          description: 'How long requests waited for their decision: half of them, and all but a hundredth.',
          kind: 'timeseries',
          unit: 'ms',
          sql: `SELECT $__timeInterval(decided_at) AS time, quantile(0.5)(${LATENCY}) AS p50, quantile(0.99)(${LATENCY}) AS p99
FROM decisions FINAL WHERE ${DECIDED} GROUP BY time ORDER BY time`,
        },
      ],
    },
    {
      title: 'Who and what',
      panels: [
        {
          title: 'Agents by spend',
          description: 'The twenty that spent the most, with how often they asked and were blocked.',
          kind: 'table',
          unit: 'locale',
          columns: { spent: 'currencyUSD' },
          sql: `SELECT agent_id AS agent, sum(micros) / 1e6 AS spent, max(calls) AS decisions, max(refused) AS blocked
FROM ${BOOKED} AS booked
LEFT JOIN (
  SELECT agent_id, count() AS calls, countIf(verdict = 'BLOCK') AS refused FROM decisions FINAL WHERE ${DECIDED} GROUP BY agent_id
) AS asked USING (agent_id)
GROUP BY agent_id ORDER BY spent DESC, agent LIMIT 20`,
        },
        {
          title: 'Tools and models',
          description: 'What was asked for, how often it was allowed, and what was reserved for it.',
          kind: 'table',
          unit: 'locale',
          columns: { reserved: 'currencyUSD' },
          sql: `SELECT toString(type) AS kind, toString(if(tool = '', model, tool)) AS name, count() AS decisions,
  countIf(verdict = 'ALLOW') AS allowed, sum(charged_micros) / 1e6 AS reserved
FROM decisions FINAL WHERE ${DECIDED} GROUP BY kind, name ORDER BY decisions DESC, name LIMIT 20`,
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Why not',
          description: 'Decisions other than ALLOW, by code: docs/errors.md says what each means.',
          kind: 'table',
          unit: 'locale',
          columns: { latest: 'dateTimeAsIso' },
          sql: `SELECT toString(verdict) AS verdict, toString(code) AS code, count() AS decisions, uniqExact(agent_id) AS agents, max(decided_at) AS latest
FROM decisions FINAL WHERE ${DECIDED} AND verdict != 'ALLOW' GROUP BY verdict, code ORDER BY decisions DESC, code LIMIT 20`,
        },
        {
          title: 'Budgets nearest to their end',
          description:
            'As the last decision of each left it. What has a window is free again as the window passes.',
          kind: 'table',
          unit: 'locale',
          columns: { used: 'currencyUSD', of: 'currencyUSD', share: 'percentunit', window: 'ms' },
          bars: { share: { yellow: 0.8, red: 1 } },
          sql: `SELECT scope, subject, id AS budget, last.1 / last.2 AS share, last.1 / 1e6 AS used, last.2 / 1e6 AS of, nullIf(window_ms, 0) AS window
FROM (
  SELECT toString(one.scope) AS scope, one.subject AS subject, one.id AS id, one.window_ms AS window_ms,
    argMax((one.used, one.most), (decided_at, ledger_sequence)) AS last
  FROM decisions FINAL ARRAY JOIN limits AS one
  WHERE ${DECIDED} AND one.kind = 'budget' AND one.most > 0
  GROUP BY scope, subject, id, window_ms
)
ORDER BY share DESC, scope, subject LIMIT 20`,
        },
      ],
    },
    {
      title: 'People',
      panels: [
        {
          title: 'On behalf of whom',
          description: 'The principals that agents acted for, by what was reserved.',
          kind: 'table',
          unit: 'locale',
          columns: { reserved: 'currencyUSD' },
          sql: `SELECT principal_id AS principal, count() AS decisions, countIf(verdict = 'BLOCK') AS blocked, sum(charged_micros) / 1e6 AS reserved
FROM decisions FINAL WHERE ${DECIDED} AND principal_id != '' GROUP BY principal ORDER BY reserved DESC, principal LIMIT 20`,
        },
        {
          title: 'What operators did',
          description: 'Kills, revives, corrected budgets, approvals, and ledgers that began anew.',
          kind: 'table',
          wide: true,
          unit: 'locale',
          columns: { at: 'dateTimeAsIso' },
          sql: `SELECT happened_at AS at, toString(event) AS event, toString(scope) AS scope, agent_id AS agent, made_by AS by, reason
FROM control_events FINAL
WHERE tenant IN (${TENANT}, '') AND NOT void AND $__timeFilter(happened_at)
ORDER BY happened_at DESC LIMIT 1 BY event, control_events.id LIMIT 50`,
        },
      ],
    },
    {
      title: 'What could not be read',
      panels: [
        {
          title: 'Dead letters',
          description:
            'Of the topic that the data source may see (its header X-Mandate-Topic), with how often each was published again. The bytes: `mandate dead-letters show ID`.',
          kind: 'table',
          unit: 'locale',
          columns: { at: 'dateTimeAsIso', size: 'bytes' },
          sql: `SELECT found_at AS at, id, source_topic AS topic, reason, pointer, bytes AS size, times AS republished
FROM dead_letters FINAL
LEFT JOIN (SELECT letter_id, count() AS times FROM republications FINAL WHERE NOT void GROUP BY letter_id) AS again ON letter_id = dead_letters.id
WHERE NOT void AND $__timeFilter(found_at) ORDER BY id DESC LIMIT 50`,
        },
      ],
    },
  ],
};
