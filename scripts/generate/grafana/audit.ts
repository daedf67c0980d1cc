/**
 * The dashboard for people who are responsible for agents, from the audit's tables in ClickHouse. Counts and sums
 * over time use the analytics' source, which has exact rollups, so that a dashboard can show a year. All other
 * queries follow the rules of packages/audit: FINAL, so that repeats count once; NOT void, so that records that a
 * newer ledger overruled do not count; and the tenant, which the row policies of the data source's user enforce as
 * well.
 */
import { bookedSource, type Dimension, percentileOf } from '@mandate/audit';
import type { Dashboard } from './dashboard.ts';

const TENANT = `\${tenant:sqlstring}`;
const AGENTS = `$__conditionalAll(agent_id IN (\${agent:sqlstring}), $agent)`;
const DECIDED = `tenant = ${TENANT} AND NOT void AND $__timeFilter(decided_at) AND ${AGENTS}`;

/** For each bound parameter of an audit query: the Grafana variable that replaces it. */
const BOUND = {
  '{tenant:String}': TENANT,
  '{fromMs:Int64}': `\${__from}`,
  '{toMs:Int64}': `\${__to}`,
};

/** Returns a subquery for decisions, with these dimensions. With `settled`, it also has the changes by outcomes. */
function booked(dimensions: readonly Dimension[], also: { settled?: boolean; cutMs?: string } = {}): string {
  const { settled = false, ...cut } = also;
  const asked = { tenant: '', fromMs: 0, toMs: 0 };
  const source = bookedSource(asked, { dimensions, decisionsOnly: !settled, ...cut });
  const text = Object.entries(BOUND).reduce(
    (sql, [bound, value]) => sql.replaceAll(bound, () => value),
    source,
  );
  return `${text} AS booked`;
}

/** The same for the agents that the dashboard has selected. */
function bookedByAgents(...asked: Parameters<typeof booked>): string {
  return `${booked(...asked)} WHERE ${AGENTS}`;
}

/** Like `bookedByAgents`, but each row belongs to one time interval of the panel. */
function bookedOverTime(dimensions: readonly Dimension[], { settled = false } = {}): string {
  return bookedByAgents(dimensions, { settled, cutMs: '($__interval_s * 1000)' });
}

/** Queries that read every row read at most this many days, up to the end of the shown period. */
function ofLastDays(days: number): string {
  return `${DECIDED} AND decided_at > $__toTime - INTERVAL ${days} DAY`;
}

export const auditDashboard: Dashboard = {
  uid: 'mandate-audit',
  title: 'Mandate: what agents do',
  description: 'Decisions, spend, budgets and acts of operators of one tenant, from the audit.',
  source: 'clickhouse',
  variables: [
    { name: 'tenant', label: 'Tenant', initially: 'default' },
    {
      name: 'agent',
      label: 'Agent',
      query: `SELECT agent_id FROM ${booked([])} GROUP BY agent_id ORDER BY sum(calls) DESC LIMIT 500`,
    },
  ],
  rows: [
    {
      title: 'Overview',
      panels: [
        {
          title: 'Decisions',
          description: 'The number of decisions, with duplicates.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT sum(calls) AS decisions FROM ${bookedByAgents([])}`,
        },
        {
          title: 'Blocked',
          description: 'The share of decisions with the verdict BLOCK.',
          kind: 'stat',
          unit: 'percentunit',
          sql: `SELECT sumIf(calls, verdict = 'BLOCK') / greatest(sum(calls), 1) AS blocked FROM ${bookedByAgents([])}`,
        },
        {
          title: 'Spent',
          description: 'The reserved amounts, corrected by the outcomes.',
          kind: 'stat',
          unit: 'currencyUSD',
          sql: `SELECT sum(charged + settled) / 1e6 AS spent FROM ${bookedByAgents([], { settled: true })}`,
        },
        {
          title: 'Agents',
          description: 'The number of agents with at least one decision.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT uniqExact(agent_id) AS agents FROM ${bookedByAgents([])}`,
        },
        {
          title: 'Allowed in observe mode',
          description: 'Decisions that would have been BLOCK if their mandate were enforced.',
          kind: 'stat',
          unit: 'locale',
          sql: `SELECT sumIf(calls, observed_code != '') AS observed FROM ${bookedByAgents(['observedCode'])}`,
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Decisions by verdict',
          description: 'The decisions of each interval, by verdict.',
          kind: 'timeseries',
          unit: 'short',
          stacked: true,
          byVerdict: true,
          sql: `SELECT $__timeInterval(at) AS time, toString(verdict) AS verdict, sum(calls) AS decisions
FROM ${bookedOverTime([])} GROUP BY time, verdict ORDER BY time`,
        },
        {
          title: 'Spend',
          description:
            'The spend of each interval. Below zero: the outcomes released more than the decisions reserved.',
          kind: 'timeseries',
          unit: 'currencyUSD',
          sql: `SELECT $__timeInterval(at) AS time, sum(charged + settled) / 1e6 AS spent
FROM ${bookedOverTime([], { settled: true })} GROUP BY time ORDER BY time`,
        },
        {
          title: 'From the log to the decision',
          description: 'The time from the request to its decision: median and 99th percentile.',
          kind: 'timeseries',
          unit: 'ms',
          sql: `SELECT $__timeInterval(at) AS time, ${percentileOf('sumForEach(latencies)', 0.5)} AS p50,
  ${percentileOf('sumForEach(latencies)', 0.99)} AS p99
FROM ${bookedOverTime([])} GROUP BY time ORDER BY time`,
        },
      ],
    },
    {
      title: 'Agents, tools and models',
      panels: [
        {
          title: 'Agents by spend',
          description:
            'The 20 agents with the highest spend, and how many of their actions were decided and blocked.',
          kind: 'table',
          unit: 'locale',
          columns: { spent: 'currencyUSD' },
          sql: `SELECT agent_id AS agent, sum(charged + settled) / 1e6 AS spent, sum(calls) AS decisions, sumIf(calls, verdict = 'BLOCK') AS blocked
FROM ${bookedByAgents([], { settled: true })} GROUP BY agent ORDER BY spent DESC, agent LIMIT 20`,
        },
        {
          title: 'Tools and models',
          description:
            'The 20 tools and models with the most decisions, how many were allowed, and the reserved amount.',
          kind: 'table',
          unit: 'locale',
          columns: { reserved: 'currencyUSD' },
          sql: `SELECT toString(type) AS kind, toString(if(tool = '', model, tool)) AS name, sum(calls) AS decisions,
  sumIf(calls, verdict = 'ALLOW') AS allowed, sum(charged) / 1e6 AS reserved
FROM ${bookedByAgents(['type', 'tool', 'model'])} GROUP BY kind, name ORDER BY decisions DESC, name LIMIT 20`,
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Refusals by code',
          description: 'The decisions BLOCK and DEFER by code. docs/errors.md explains each code.',
          kind: 'table',
          unit: 'locale',
          columns: { latest: 'dateTimeAsIso' },
          sql: `SELECT toString(verdict) AS verdict, toString(code) AS code, sum(calls) AS decisions, uniqExact(agent_id) AS agents, max(last_at) AS latest
FROM ${bookedByAgents(['code'])} AND verdict != 'ALLOW' GROUP BY verdict, code ORDER BY decisions DESC, code LIMIT 20`,
        },
        {
          title: 'Most used budgets',
          description:
            'The state of each budget after its last decision. The table covers the last seven days of the shown period. A budget with a window is free again after the window.',
          kind: 'table',
          unit: 'locale',
          columns: { used: 'currencyUSD', of: 'currencyUSD', share: 'percentunit', window: 'ms' },
          bars: { share: { yellow: 0.8, red: 1 } },
          sql: `SELECT scope, subject, id AS budget, last.1 / last.2 AS share, last.1 / 1e6 AS used, last.2 / 1e6 AS of, nullIf(window_ms, 0) AS window
FROM (
  SELECT toString(one.scope) AS scope, one.subject AS subject, one.id AS id, one.window_ms AS window_ms,
    argMax((one.used, one.most), (decided_at, ledger_sequence)) AS last
  FROM decisions FINAL ARRAY JOIN limits AS one
  WHERE ${ofLastDays(7)} AND one.kind = 'budget' AND one.most > 0
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
          title: 'Principals by reserved amount',
          description: 'The users for whom agents acted, in the last 31 days of the shown period.',
          kind: 'table',
          unit: 'locale',
          columns: { reserved: 'currencyUSD' },
          sql: `SELECT principal_id AS principal, count() AS decisions, countIf(verdict = 'BLOCK') AS blocked, sum(toInt128(charged_micros)) / 1e6 AS reserved
FROM decisions FINAL WHERE ${ofLastDays(31)} AND principal_id != '' GROUP BY principal ORDER BY reserved DESC, principal LIMIT 20`,
        },
        {
          title: 'Acts of operators',
          description:
            'Kills, revives, corrected budgets, approvals, rebuilt ledgers, and changes of agents, keys, policies, rules and mandates.',
          kind: 'table',
          wide: true,
          unit: 'locale',
          columns: { at: 'dateTimeAsIso' },
          sql: `SELECT happened_at AS at, toString(event) AS event, toString(scope) AS scope, agent_id AS agent, subject, made_by AS by, reason, refusal
FROM control_events FINAL
WHERE tenant IN (${TENANT}, '') AND NOT void AND $__timeFilter(happened_at)
ORDER BY happened_at DESC LIMIT 1 BY event, control_events.id LIMIT 50`,
        },
      ],
    },
    {
      title: 'Unreadable records',
      panels: [
        {
          title: 'Dead letters',
          description:
            'The dead letters of the topic in the header X-Mandate-Topic of the data source, and how often each was published again. `mandate dead-letters show ID` shows the bytes.',
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
