/**
 * The source of analytics that reads sums where they are exact. It reads the base tables for the rest: for hours that
 * changed since they were counted, for hours that are only partly within the period, and for everything that sums
 * cannot answer.
 *
 * One scalar subquery of each statement decides which table is read for which hour. So no row is counted twice or
 * missed, even while a recorder and a refresh run. An hour may change after this decision. Then the whole new batch
 * is missing, as in any answer that began before the batch arrived.
 */
import { GRANT_ID } from '@mandate/schemas';
import {
  type AnalyticsFilter,
  type AnalyticsShape,
  type AnalyticsSource,
  bookingRows,
  DIMENSIONS,
  NEAR_MISS_AT,
} from '../queries/analytics-source.ts';
import { decisionsNarrowed } from '../queries/decision-filter.ts';
import { COLUMNS_ROLLED, groupsIn } from './groups.ts';
import { dayOf, HOUR_MS } from './hour.ts';

/** The filters that sums can answer, each with its column. All bookings of a group share one value of this column. */
const FILTERED: Readonly<Record<string, (typeof COLUMNS_ROLLED)[number]>> = {
  agentId: 'agent_id',
  tool: 'tool',
  model: 'model',
  provider: 'provider',
  type: 'type',
  verdict: 'verdict',
  code: 'code',
  observedCode: 'observed_code',
  kind: 'kind',
  role: 'principal_role',
  mandate: 'mandate_id',
};

const SUMMED = ['calls', 'latencies', 'near_misses', 'charged', 'settled', 'last_at'];

export const fromRollups: AnalyticsSource = (asked, shape) => {
  const columns = shape.dimensions.map((name) => DIMENSIONS[name]);
  const { decisionsOnly = false, cutMs } = shape;
  if (!isRolled(asked, shape)) return `(${bookingRows(asked, { columns, decisionsOnly })})`;

  const { tenant: _, nearMissAt: __, fromMs, toMs, ...ofGroups } = asked;
  const key = [...new Set(['agent_id', 'verdict', ...columns])];
  const narrowing = Object.keys(present(ofGroups)).flatMap((name) => FILTERED[name] ?? []);
  const read = { columns: [...new Set([...key, ...narrowing, ...SUMMED])], rowColumns: ['hour'] };
  // If the question needs decisions only, the settled amount is set to 0. Settlements may share a group with
  // decisions, or have a group of their own.
  const own = columnsInOrder(key).replace(
    /\bsettled\b/,
    decisionsOnly ? 'toInt128(0) AS settled' : 'settled',
  );
  const groups = (where: string) => `
      SELECT fromUnixTimestamp64Milli(toInt64(hour) * ${HOUR_MS}, 'UTC') AS at, ${own}
      FROM (${groupsIn(`tenant = {tenant:String} AND ${where}`, read)})
      WHERE ${decisionsOnly ? 'calls > 0' : 'true'}${decisionsNarrowed(ofGroups)}`;
  const bucket = cutMs === undefined ? '' : `, intDiv(toUnixTimestamp64Milli(booked.at), ${cutMs})`;
  // The sums are computed here, so that the outer query gets as few rows as possible. Each row costs time there.
  return `(
    SELECT min(booked.at) AS at, ${key.join(', ')}, sum(calls) AS calls, sumForEach(latencies) AS latencies, sum(near_misses) AS near_misses,
      sum(charged) AS charged, sum(settled) AS settled, max(last_at) AS last_at
    FROM (
      WITH (${partition({ fromMs, toMs, cutMs })}) AS parts
      ${groups('hours = 24 AND hour IN (SELECT arrayJoin(parts.1))')}
      UNION ALL ${groups('hours = 1 AND hour IN (SELECT arrayJoin(parts.2))')}
      UNION ALL
      SELECT at, ${columnsInOrder(key)}
      FROM (${bookingRows(asked, { columns, decisionsOnly, hours: 'parts.3' })})
    ) AS booked
    GROUP BY ${key.join(', ')}${bucket}
    )`;
};

function columnsInOrder(key: readonly string[]): string {
  return [...key, ...SUMMED].join(', ');
}

/**
 * True if sums can answer the question. Each column that the question uses must have one value per group, and no cut
 * may be inside an hour.
 */
function isRolled(asked: AnalyticsFilter, { dimensions, cutMs = HOUR_MS }: AnalyticsShape): boolean {
  const { tenant: _, fromMs: __, toMs: ___, nearMissAt = NEAR_MISS_AT, ...others } = asked;
  // True if the question distinguishes single grants. In the sums, all grants share one group.
  const tellsIssued =
    dimensions.includes('mandate') || asked.mandate?.some((id) => id.startsWith(GRANT_ID)) === true;
  const rolled: ReadonlySet<string> = new Set(COLUMNS_ROLLED);
  return (
    (typeof cutMs === 'string' || cutMs % HOUR_MS === 0) &&
    nearMissAt === NEAR_MISS_AT &&
    !tellsIssued &&
    dimensions.every((name) => rolled.has(DIMENSIONS[name])) &&
    Object.keys(present(others)).every((name) => name in FILTERED)
  );
}

function present(filters: object): object {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/**
 * SQL for three arrays without common hours: days to read from sums, hours to read from sums, and hours to read from
 * the base tables.
 */
function partition(asked: {
  fromMs: number | undefined;
  toMs: number | undefined;
  cutMs: number | string | undefined;
}): string {
  const whole = (first: string, hours: number) =>
    [
      asked.cutMs === undefined ? 'true' : `${asked.cutMs} % ${hours * HOUR_MS} = 0`,
      asked.fromMs === undefined ? 'true' : `toInt64(${first}) * ${HOUR_MS} >= {fromMs:Int64}`,
      asked.toMs === undefined ? 'true' : `(toInt64(${first}) + ${hours}) * ${HOUR_MS} <= {toMs:Int64}`,
    ].join(' AND ');
  const touchable = [
    asked.fromMs === undefined ? 'true' : `(toInt64(hour) + 1) * ${HOUR_MS} > {fromMs:Int64}`,
    asked.toMs === undefined ? 'true' : `toInt64(hour) * ${HOUR_MS} < {toMs:Int64}`,
  ].join(' AND ');
  return `
        SELECT (
            groupArrayIf(day, is_day),
            arrayFlatten(groupArrayIf(exact, NOT is_day)),
            arrayFlatten(groupArrayIf(touched_since, NOT is_day))
          )
        FROM (
          SELECT day, ${whole('day', 24)} AND (day, sum(touched)) IN (
              SELECT hour, touches FROM (SELECT * FROM rollup_sums FINAL WHERE tenant = {tenant:String} AND hours = 24) WHERE unmatched = 0
            ) AS is_day,
            groupArrayIf(hour, is_exact) AS exact, groupArrayIf(hour, NOT is_exact) AS touched_since
          FROM (
            SELECT hour, ${dayOf('hour')} AS day, sum(touches) AS touched,
              ${whole('hour', 1)} AND (hour, touched) IN (
                SELECT hour, touches FROM (SELECT * FROM rollup_sums FINAL WHERE tenant = {tenant:String} AND hours = 1) WHERE unmatched = 0
              ) AS is_exact
            FROM rollup_marks
            WHERE tenant = {tenant:String} AND ${touchable}
            GROUP BY hour
          )
          GROUP BY day
        )`;
}
