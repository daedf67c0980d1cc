/** SQL that groups the rows of an analytics source by dimensions. */
import { DIMENSIONS, type Dimension } from './analytics-source.ts';

/**
 * SQL for the dimension values of a row: an `Array(String)` in the order of the dimensions. Empty text means no
 * value.
 */
export function keysOf(groupBy: readonly Dimension[]): string {
  const columns = groupBy.map((name) => (name === 'policy' ? 'policy' : DIMENSIONS[name]));
  return `CAST([${columns.map((column) => `toString(${column})`).join(', ')}] AS Array(String))`;
}

/**
 * SQL for the text after FROM. A decision under two policies counts for each of them. A decision under no policy
 * counts once, for "none". So the sums over policies are larger than the total.
 */
export function unfolded(groupBy: readonly Dimension[]): string {
  return groupBy.includes('policy') ? "ARRAY JOIN if(empty(policies), [''], policies) AS policy" : '';
}

/** Returns the group in the form that answers contain. */
export function groupOf(
  groupBy: readonly Dimension[],
  keys: readonly string[],
): Partial<Record<Dimension, string | null>> {
  return Object.fromEntries(groupBy.map((name, place) => [name, keys[place] || null]));
}
