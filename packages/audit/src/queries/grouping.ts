/** How rows of a source of `booked` are told apart by dimensions. */
import { DIMENSIONS, type Dimension } from './booked.ts';

/** SQL for the values of a row, an `Array(String)` in the order of the dimensions; empty text for none. */
export function keysOf(groupBy: readonly Dimension[]): string {
  const columns = groupBy.map((name) => (name === 'policy' ? 'policy' : DIMENSIONS[name]));
  return `CAST([${columns.map((column) => `toString(${column})`).join(', ')}] AS Array(String))`;
}

/**
 * Behind FROM: what was decided under two policies counts under each of them, and once under none where there is
 * none. So sums over policies are larger than the whole.
 */
export function unfolded(groupBy: readonly Dimension[]): string {
  return groupBy.includes('policy') ? "ARRAY JOIN if(empty(policies), [''], policies) AS policy" : '';
}

/** The group as answers give it. */
export function groupOf(
  groupBy: readonly Dimension[],
  keys: readonly string[],
): Partial<Record<Dimension, string | null>> {
  return Object.fromEntries(groupBy.map((name, place) => [name, keys[place] || null]));
}
