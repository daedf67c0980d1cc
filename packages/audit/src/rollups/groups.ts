/** What the rows of `rollup_sums` hold in their arrays: a group for everything that has all of `COLUMNS_ROLLED` in common. */
import { ISSUED_MANDATE } from '@mandate/schemas';

/** Columns of decisions with few values each. The others (principal, policies, text, …) stay questions to the base tables. */
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

/** Issued mandates are one here: there may be one for every few calls. Questions that tell them apart are for the base tables. */
export const MANDATE_ROLLED = `if(startsWith(mandate_id, '${ISSUED_MANDATE}'), '${ISSUED_MANDATE}', mandate_id)`;

/** As in a source of `booked`: what is equal within a group, and how the rest adds up. */
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
 * Rows of a source added up into rows of `rollup_sums`, but for how long they are and what they know of: each row says which it
 * belongs to (`hour`), and what it means for that row (`unmatched`, `reaches_back_to`).
 */
export function groupsOf(rows: string): string {
  const sums = Object.entries(SUMS).map(([name, sum]) => `${sum} AS summed_${name}`);
  const arrays = [...COLUMNS_ROLLED, ...Object.keys(SUMS).map((name) => `summed_${name}`)].map(
    // As it stands, groupArray leaves NULL out.
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

/** The groups of the rows of `rollup_sums` that `where` finds, as rows: so many columns of them, beside `rowColumns`. */
export function groupsIn(
  where: string,
  { columns = GROUP, rowColumns }: { columns?: readonly string[]; rowColumns: readonly string[] },
): string {
  const given = columns.map((name) => `groups.${name} AS ${name}`);
  return `
      SELECT ${[...rowColumns, ...columns].join(', ')}
      FROM (SELECT * FROM rollup_sums FINAL WHERE ${where}) ARRAY JOIN ${given.join(', ')}`;
}
