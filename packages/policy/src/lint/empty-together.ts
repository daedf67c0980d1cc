import type { Effort } from '../effort.ts';
import { commonName } from './common-name.ts';

/** So many sets of lists are tried; what none of these does is told as what all of them do. */
const MOST_SETS = 200;

/**
 * The smallest set of lists of globs that have no name in common, by their places; the first of several. Null where all have
 * one in common; undefined where nobody knows.
 */
export function emptyTogether(
  lists: readonly (readonly string[])[],
  effort: Effort,
): readonly number[] | null | undefined {
  const all = [...lists.keys()];
  const name = lists.length === 0 ? '' : commonName(lists, effort);
  if (name !== null) return name === undefined ? undefined : null;
  let sets = 0;
  for (let size = 1; size < lists.length; size += 1) {
    for (const set of subsets(all, size)) {
      sets += 1;
      if (sets > MOST_SETS || effort.left < 0) return all;
      const some = set.map((at) => lists[at] ?? []);
      if (commonName(some, effort) === null) return set;
    }
  }
  return all;
}

function* subsets(all: readonly number[], size: number): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [at, first] of all.entries()) {
    for (const others of subsets(all.slice(at + 1), size - 1)) yield [first, ...others];
  }
}
