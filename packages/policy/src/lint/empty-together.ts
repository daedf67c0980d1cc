import { type Effort, takes } from '../effort.ts';
import { compileGlobs, type GlobMatcher } from '../glob.ts';
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
  if (all.length === 0 || haveObviously(lists, effort)) return null;
  const name = commonName(lists, effort);
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

/** One that a list spells out is most often what all have in common, and to look for any other takes a thousand times as long. */
function haveObviously(lists: readonly (readonly string[])[], effort: Effort): boolean {
  const [shortest = []] = lists.toSorted((one, other) => one.length - other.length);
  if (!takes(effort, lists.flat().length)) return false;
  const matchers = lists.map(matcherOf);
  return shortest.some((pattern) => {
    const name = pattern.replaceAll('*', '');
    return matchers.every((matches) => takes(effort, matches.steps) && matches(name) !== null);
  });
}

const matchers = new WeakMap<readonly string[], GlobMatcher>();

function matcherOf(globs: readonly string[]): GlobMatcher {
  const known = matchers.get(globs) ?? compileGlobs(globs);
  matchers.set(globs, known);
  return known;
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
