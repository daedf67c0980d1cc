/**
 * The bookings that analytics count and sum: decisions and settlements, from any table.
 *
 * A source is a subquery. One of its rows represents `calls` decisions that share every value in the row. So a
 * question sums `calls` and never counts rows. The base tables have a row for each decision and each settlement.
 * Tables of sums may replace the base tables if they contain the sums of the same rows. The columns:
 *
 *   at            DateTime64(3, 'UTC'): when it was booked. A charge is booked when it was decided, and a change by an outcome
 *                 when it was settled. So a past day never changes, and the days of a month add up to the month. If
 *                 one row counts several decisions, the row may have any time within their period. Cuts
 *                 (`AnalyticsShape`) divide the time into periods.
 *   agent_id, and the columns of `DIMENSIONS` that are asked for. Empty text means none.
 *                 A settlement has the dimensions of its decision, which is the first ALLOW of the agent, action and
 *                 attempt. If there is no such decision, the dimensions are empty.
 *   verdict       always present. 'ALLOW' for a settlement, because only allowed actions are settled.
 *   calls         UInt64: decisions. Every record counts, also duplicates. 0 for a settlement.
 *   near_misses   UInt64: the ALLOWs among them that left a limit used up to `nearMissAt` percent (NEAR_MISS_AT) or beyond.
 *   charged       Int128: reserved by decisions, in micro-dollars. Sums of 128 bits fail rather than wrap.
 *   settled       Int128: added or given back by outcomes, in micro-dollars.
 *   latencies     Array(UInt64): the number of decisions at each bound of LATENCY_BOUNDS_MS, up to the largest latency.
 *   last_at       Nullable(DateTime64(3, 'UTC')): when the last of the decisions was made.
 *
 * A source contains only rows that count (no repeats, no void rows) and pass the filter `asked`. The period applies
 * to the time of a decision and to the time of a settlement. All other filters apply to the decision. ClickHouse does
 * not read a column that the question does not use.
 */
import { z } from 'zod';
import { narrowed } from '../question.ts';
import { inHours } from '../rollups/hour.ts';
import { type DecisionFilter, decisionFilter, decisionsNarrowed } from './decision-filter.ts';
import { latenciesOfOne } from './latency-bounds.ts';

/**
 * The dimensions to group by, by their public names, each with its column. Only the column of policy is a list:
 * `Array(String)`.
 */
export const DIMENSIONS = {
  agent: 'agent_id',
  tool: 'tool',
  model: 'model',
  provider: 'provider',
  type: 'type',
  verdict: 'verdict',
  code: 'code',
  observedCode: 'observed_code',
  principal: 'principal_id',
  role: 'principal_role',
  mandate: 'mandate_id',
  policy: 'policies',
} as const;
export type Dimension = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [Dimension, ...Dimension[]];

/** The filters for all bookings, and the percentage from which a limit counts as nearly used. */
export const analyticsFilter = decisionFilter.extend({ nearMissAt: z.int().min(1).max(100).optional() });
export type AnalyticsFilter = DecisionFilter & { nearMissAt?: number | undefined };

/** The default percentage from which a limit counts as nearly used. */
export const NEAR_MISS_AT = 90;

export type AnalyticsShape = {
  /** The dimensions that the question uses. */
  dimensions: readonly Dimension[];
  /**
   * The question cuts time at `fromMs` and at `toMs`. Elsewhere it cuts only at multiples of this many milliseconds
   * since
   * 1970. A number, or SQL of a constant number. If absent, the question has no other cut.
   */
  cutMs?: number | string;
  /** True if the question does not need settlements. Then they are not joined with their decisions. */
  decisionsOnly?: boolean;
};

/** Returns the subquery for a question with this filter and shape. */
export type AnalyticsSource = (asked: AnalyticsFilter, shape: AnalyticsShape) => string;

/** A source that reads the base tables, which contain one row per decision or settlement. */
export const fromBaseTables: AnalyticsSource = (asked, { dimensions, decisionsOnly = false }) =>
  `(${bookingRows(asked, { columns: dimensions.map((name) => DIMENSIONS[name]), decisionsOnly })})`;

export type BookingRows = {
  /** Columns of decisions to select in addition to the columns of every source. */
  columns: readonly string[];
  decisionsOnly?: boolean;
  /** Restricts the source to bookings in these hours. SQL of a constant array of hours since 1970. */
  hours?: string;
};

export function bookingRows(
  asked: AnalyticsFilter,
  { columns, decisionsOnly = false, hours }: BookingRows,
): string {
  const own = [...new Set(columns)].filter((column) => column !== 'agent_id' && column !== 'verdict');
  const { nearMissAt, ...filter } = asked;
  const { tenant: _, agentId, fromMs, toMs, ...ofDecision } = filter;
  const mustMatch = Object.values(ofDecision).some((value) => value !== undefined);
  const within = (time: string) => (hours === undefined ? '' : ` AND ${inHours(time, hours)}`);
  const settled = `${settlementsThatCount({ agentId, fromMs, toMs })}${within('settled_at')}`;
  const decisions =
    mustMatch || own.length > 0
      ? `${mustMatch ? 'INNER' : 'ANY LEFT'} JOIN ${decisionsOf(settled, { columns: own, filter: ofDecision, hours })}`
      : '';
  return `
      SELECT ${['decided_at AS at', 'agent_id', 'verdict', ...own].join(', ')}, toUInt64(1) AS calls,
        toUInt64(${nearMiss(nearMissAt === undefined ? String(NEAR_MISS_AT) : '{nearMissAt:UInt8}')}) AS near_misses,
        toInt128(charged_micros) AS charged, toInt128(0) AS settled,
        ${latenciesOfOne("dateDiff('millisecond', appended_at, decided_at)")} AS latencies, toNullable(decided_at) AS last_at
      FROM decisions FINAL
      WHERE tenant = {tenant:String} AND NOT void${decisionsNarrowed(filter)}${within('decided_at')}${
        decisionsOnly
          ? ''
          : `
      UNION ALL
      SELECT ${['settled_at', 'agent_id', "'ALLOW'", ...own].join(', ')}, toUInt64(0), toUInt64(0),
        toInt128(0), toInt128(delta_micros), emptyArrayUInt64(), NULL
      FROM (
        SELECT agent_id, action_id, attempt, settled_at, delta_micros FROM ${settled}
      ) AS moved ${decisions}`
      }`;
}

/** SQL for the settlements that count, after FROM. The filters apply to the settlements themselves. */
export function settlementsThatCount(asked: Pick<DecisionFilter, 'agentId' | 'fromMs' | 'toMs'>): string {
  return `settlements FINAL WHERE ${COUNTED}${narrowed(asked, SETTLED)}`;
}

/**
 * SQL for the decisions of settlements, after JOIN.
 *
 * @param settled SQL for the settlements, after FROM
 * @param wanted the columns of the decisions besides their keys, the filter that the decisions must pass, and the
 *   hours of the settlements if they are only those of some hours
 */
export function decisionsOf(
  settled: string,
  wanted: { columns: readonly string[]; filter: Partial<DecisionFilter>; hours?: string | undefined },
): string {
  const { columns, filter, hours } = wanted;
  const key = 'agent_id, action_id, attempt';
  return `(
          SELECT ${[key, ...columns].join(', ')}
          FROM (${letThrough(`SELECT ${key} FROM ${settled}`, hours)})
          WHERE true${decisionsNarrowed(filter)}
        ) AS allowed USING (${key})`;
}

/** Nearly every settlement belongs to a decision of the few hours before it. */
const NEARBY_HOURS = 4;

/**
 * SQL for the decisions that settlements belong to: the first ALLOW of each action and attempt. If the settlements
 * are those of some hours, the decisions of nearby hours are searched first. All decisions are searched only for the
 * settlements that are left. If none is left, this second search is skipped, because even an empty list would be
 * looked up in every index. A mandate in observe mode also lets repeats pass. Such a repeated ALLOW is not a first
 * ALLOW.
 */
function letThrough(settled: string, hours: string | undefined): string {
  const key = '(agent_id, action_id, attempt)';
  const allowed = `FROM decisions FINAL
            WHERE tenant = {tenant:String} AND NOT void AND verdict = 'ALLOW' AND kind = 'first'`;
  const first = 'ORDER BY id LIMIT 1 BY agent_id, action_id, attempt';
  if (hours === undefined) return `SELECT * ${allowed} AND ${key} IN (${settled}) ${first}`;
  const nearby = inHours(
    'appended_at',
    `arrayDistinct(arrayFlatten(arrayMap(hour -> arrayMap(back -> toInt64(hour) - back, range(${NEARBY_HOURS})), ${hours})))`,
  );
  const others = `SELECT * FROM (${settled}) WHERE ${key} NOT IN (
              SELECT agent_id, action_id, attempt ${allowed} AND ${nearby}
            )`;
  return `
            SELECT * ${allowed} AND ${nearby} AND ${key} IN (${settled}) ${first}
            UNION ALL
            SELECT * ${allowed} AND (SELECT count() > 0 FROM (${others}))
              AND action_id IN (SELECT action_id FROM (${others})) AND ${key} IN (${others}) ${first}`;
}

/** SQL condition for the settlements that count. */
const COUNTED = "tenant = {tenant:String} AND NOT void AND kind = 'settled'";

/** Filters that apply to the settlements themselves. */
const SETTLED = {
  agentId: 'agent_id IN {agentId:Array(String)}',
  fromMs: "settled_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
  toMs: "settled_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
};

/**
 * SQL that is true if a limit is used up to this percentage. A limit of 0 has no percentage. Amounts are below 2^53,
 * so 100 times an amount still fits.
 */
function nearMiss(percent: string): string {
  return `verdict = 'ALLOW' AND arrayExists(
          one -> one.most > 0 AND one.used * 100 >= one.most * ${percent}, limits)`;
}
