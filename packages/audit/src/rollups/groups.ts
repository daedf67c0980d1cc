/**
 * The arrays in the rows of `rollup_sums`. Each index is one group: all bookings with the same values of
 * `COLUMNS_ROLLED`.
 */
import { GRANT_ID } from '@mandate/schemas';

/**
 * The columns that define a group. Each has few values. Questions about other columns (principal, policies, text, …)
 * read the base tables.
 */
export const COLUMNS_ROLLED = [
  'agent_id',
  'tool',
  'model',
  'provider',
  'type',
  'verdict',
  'code',
  'observed_code',
  'principal_role',
  'mandate_id',
  'kind',
] as const;

/**
 * All grants share one group, because there may be a new grant for every few calls. Questions about a single grant
 * read the base tables.
 */
export const MANDATE_ROLLED = `if(startsWith(mandate_id, '${GRANT_ID}'), '${GRANT_ID}', mandate_id)`;

/** The columns of an analytics source that can be summed within a group. */
const SUMS = {
  calls: 'sum(calls)',
  latencies: 'sumForEach(latencies)',
  near_misses: 'sum(near_misses)',
  charged: 'sum(charged)',
  settled: 'sum(settled)',
  last_at: 'max(last_at)',
};
const GROUP = [...COLUMNS_ROLLED, ...Object.keys(SUMS)];

/** The columns of `rollup_sums` that contain groups. */
export const GROUP_COLUMNS = GROUP.map((name) => `groups.${name}`).join(', ');

/**
 * SQL that sums rows of a source into rows of `rollup_sums`, without the columns `hours` and `touches`. Each source
 * row needs the column `hour` of its result row. It also needs the columns `unmatched` and `reaches_back_to`, whose
 * sum or minimum is in the result row.
 */
export function groupsOf(rows: string): string {
  const sums = Object.entries(SUMS).map(([name, sum]) => `${sum} AS summed_${name}`);
  const arrays = [...COLUMNS_ROLLED, ...Object.keys(SUMS).map((name) => `summed_${name}`)].map(
    // Each value is wrapped in a tuple, because groupArray would skip NULL.
    (name, index) => `arrayMap(one -> one.1, groupArray(tuple(${name}))) AS groups_${GROUP[index]}`,
  );
  return `
    SELECT hour, sum(summed_unmatched) AS unmatched, min(oldest) AS reaches_back_to, ${arrays.join(', ')}
    FROM (
      SELECT hour, sum(unmatched) AS summed_unmatched, min(reaches_back_to) AS oldest, ${COLUMNS_ROLLED.join(', ')}, ${sums.join(', ')}
      FROM (${rows})
      GROUP BY hour, ${COLUMNS_ROLLED.join(', ')}
    )
    GROUP BY hour`;
}

/** The arrays that the SQL of `groupsOf` returns, in the order of `GROUP_COLUMNS`. */
export const GROUPS_GIVEN = GROUP.map((name) => `groups_${name}`).join(', ');

/**
 * SQL that returns one row for each group in the rows of `rollup_sums` that match `where`: first `rowColumns`, then
 * the given columns of the group.
 */
export function groupsIn(
  where: string,
  { columns = GROUP, rowColumns }: { columns?: readonly string[]; rowColumns: readonly string[] },
): string {
  const given = columns.map((name) => `groups.${name} AS ${name}`);
  return `
      SELECT ${[...rowColumns, ...columns].join(', ')}
      FROM (SELECT * FROM rollup_sums FINAL WHERE ${where}) ARRAY JOIN ${given.join(', ')}`;
}
