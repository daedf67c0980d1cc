/**
 * What the analytics count and sum: decisions and settlements as they were booked, whatever table that is read from.
 *
 * A source gives a subquery in which a row stands for `calls` decisions that have everything in the row in common, so a
 * question sums and never counts rows. The base tables give a row for each decision and each settlement; tables that
 * hold sums may stand in for them wherever they can give the same rows added up. The columns:
 *
 *   at            DateTime64(3, 'UTC'): when it was booked. A charge is booked when it was decided, what an outcome
 *                 changed when it was settled: a day that is over never changes, and days add up to their month. A row
 *                 that stands for several may say any moment, as long as no cut (`BookedShape`) lies between theirs.
 *   agent_id, and of the columns of `DIMENSIONS` those asked for. Empty text stands for none. What was settled has the
 *                 dimensions of the decision that it settles: the first ALLOW of that agent, action and attempt; where
 *                 none is on record, empty ones.
 *   verdict       always there; 'ALLOW' for what was settled, as nothing else can be.
 *   calls         UInt64: decisions. Every record counts, duplicates too. 0 for what was settled.
 *   near_misses   UInt64: of these the ALLOWs that left a limit used up to `nearMissAt` percent of it (NEAR_MISS_AT) or beyond.
 *   charged       Int128: reserved by decisions, in micro-dollars. Sums of 128 bits fail rather than wrap.
 *   settled       Int128: added or given back by outcomes, in micro-dollars.
 *   latencies     Array(UInt64): of these how many took how long, by the bounds of LATENCY_BOUNDS_MS, as far as there are any.
 *   last_at       Nullable(DateTime64(3, 'UTC')): when the last of the decisions was made.
 *
 * Only what counts is in it (no repeat, nothing void), and only what `asked` lets through: of decisions the time when
 * they were decided, of settlements when they were settled, everything else is asked of the decision. A column that the question does not use
 * costs nothing: ClickHouse leaves it out.
 */
import { z } from 'zod';
import { narrowed } from '../question.ts';
import { inHours } from '../rollups/hour.ts';
import { type DecisionFilter, decisionFilter, decisionsNarrowed } from './decision-filter.ts';
import { latenciesOfOne } from './latency-bounds.ts';

/** What can be grouped by, as people name it, and its column. A policy is the one that is a list: `Array(String)`. */
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

/** What everything that is booked can be narrowed by, and what counts as near a limit. */
export const bookedFilter = decisionFilter.extend({ nearMissAt: z.int().min(1).max(100).optional() });
export type BookedFilter = DecisionFilter & { nearMissAt?: number | undefined };

/** Percent, where nothing else is asked for. */
export const NEAR_MISS_AT = 90;

export type BookedShape = {
  /** The dimensions that the question uses. */
  dimensions: readonly Dimension[];
  /**
   * Beside `fromMs` and `toMs` it cuts time only at multiples of so many milliseconds since 1970: a number, or SQL of one that
   * is constant; absent: nowhere.
   */
  cutMs?: number | string;
  /** Nothing that was settled is asked for: it need not be joined with what it settles. */
  decisionsOnly?: boolean;
};

/** What gives the subquery, for a question that asks this. */
export type Booked = (asked: BookedFilter, shape: BookedShape) => string;

/** From the base tables. */
export const booked: Booked = (asked, { dimensions, decisionsOnly = false }) =>
  `(${bookedRows(asked, { columns: dimensions.map((name) => DIMENSIONS[name]), decisionsOnly })})`;

export type BookedRows = {
  /** The columns of decisions, beside those of every source. */
  columns: readonly string[];
  decisionsOnly?: boolean;
  /** Only what was booked in these hours: SQL of an array that is constant, of hours since 1970. */
  hours?: string;
};

export function bookedRows(
  asked: BookedFilter,
  { columns, decisionsOnly = false, hours }: BookedRows,
): string {
  const own = [...new Set(columns)].filter((column) => column !== 'agent_id' && column !== 'verdict');
  const { nearMissAt, ...filter } = asked;
  const { tenant: _, agentId, fromMs, toMs, ...ofDecision } = filter;
  const mustMatch = Object.values(ofDecision).some((value) => value !== undefined);
  const within = (time: string) => (hours === undefined ? '' : ` AND ${inHours(time, hours)}`);
  const settledHere = `${narrowed({ agentId, fromMs, toMs }, SETTLED)}${within('settled_at')}`;
  const decisions =
    mustMatch || own.length > 0
      ? `${mustMatch ? 'INNER' : 'ANY LEFT'} JOIN (
          SELECT ${['agent_id', 'action_id', 'attempt', ...own].join(', ')}
          FROM (${letThrough(`SELECT agent_id, action_id, attempt FROM settlements FINAL WHERE ${COUNTED}${settledHere}`, hours)})
          WHERE true${decisionsNarrowed(ofDecision)}
        ) AS allowed USING (agent_id, action_id, attempt)`
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
        SELECT agent_id, action_id, attempt, settled_at, delta_micros FROM settlements FINAL
        WHERE ${COUNTED}${settledHere}
      ) AS moved ${decisions}`
      }`;
}

/** For nearly every outcome the decision was made in the hours right before it. */
const NEARBY_HOURS = 4;

/**
 * The decisions that let through what was settled: the first ALLOW of each action and attempt. Where the settlements
 * are those of some hours, they are looked for nearby first, and only what is not there among all decisions: if there is any,
 * for nothing would be looked for in every index as well. An ALLOW that repeats another (a mandate that observes lets it
 * pass) is no first one.
 */
export function letThrough(settled: string, hours: string | undefined): string {
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

/** The settlements that count. */
export const COUNTED = "tenant = {tenant:String} AND NOT void AND kind = 'settled'";

/** What narrows them by themselves. */
export const SETTLED = {
  agentId: 'agent_id IN {agentId:Array(String)}',
  fromMs: "settled_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
  toMs: "settled_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
};

/** A limit of 0 has no percent. Amounts are below 2^53, so that a hundredfold still fits. */
function nearMiss(percent: string): string {
  return `verdict = 'ALLOW' AND arrayExists(
          one -> one.most > 0 AND one.used * 100 >= one.most * ${percent}, limits)`;
}
