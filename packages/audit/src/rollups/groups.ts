/**
 * The arrays in the rows of `rollup_sums`. Each index is a group: everything that shares the values of all
 * `COLUMNS_ROLLED`.
 */
import { ISSUED_MANDATE } from '@mandate/schemas';

/**
 * Columns of decisions with few values each. Questions about other columns (principal, policies, text, …) read the
 * base tables.
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
 * All grants share one group, because there may be one grant for every few calls. Questions about a single grant read
 * the base tables.
 */
export const MANDATE_ROLLED = `if(startsWith(mandate_id, '${ISSUED_MANDATE}'), '${ISSUED_MANDATE}', mandate_id)`;

/** The columns of an analytics source that add up within a group. */
const SUMS = {
  calls: 'sum(calls)',
  latencies: 'sumForEach(latencies)',
  near_misses: 'sum(near_misses)',
  charged: 'sum(charged)',
  settled: 'sum(settled)',
  last_at: 'max(last_at)',
};
const GROUP = [...COLUMNS_ROLLED, ...Object.keys(SUMS)];

/** The columns of `rollup_sums` that hold groups. */
export const GROUP_COLUMNS = GROUP.map((name) => `groups.${name}`).join(', ');

/**
 * SQL that sums rows of a source into rows of `rollup_sums`, without the columns `hours` and `touches`. Each source
 * row names the row that it belongs to (`hour`), and what it adds to it (`unmatched`, `reaches_back_to`).
 */
export function groupsOf(rows: string): string {
  const sums = Object.entries(SUMS).map(([name, sum]) => `${sum} AS summed_${name}`);
  const arrays = [...COLUMNS_ROLLED, ...Object.keys(SUMS).map((name) => `summed_${name}`)].map(
    // groupArray would leave NULL out, so each value is wrapped in a tuple.
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

/** The arrays of `groupsOf`, in the order of `GROUP_COLUMNS`. */
export const GROUPS_GIVEN = GROUP.map((name) => `groups_${name}`).join(', ');

/**
 * SQL for the groups in the rows of `rollup_sums` that match `where`, one row each: the given columns of the group,
 * after `rowColumns`.
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
