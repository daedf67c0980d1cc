import { compileGlobs } from '@mandate/policy';
import type { GlobMatcher } from '@mandate/policy/parts';
import { consume, type StepBudget } from '@mandate/policy/parts';
import { commonName } from './common-name.ts';

/**
 * At most this many sets of lists are tried. If no smaller set without a common name is found, all lists are
 * returned.
 */
const MOST_SETS = 200;

/** The names that a policy allows: names that `allowed` matches and `denied` does not match. */
export type Names = { allowed: readonly string[]; denied: readonly string[] };

/**
 * Returns the indexes of a smallest set of lists that have no name in common. If several sets are equally small, the
 * first is returned. Null if all lists have a name in common. Undefined if the step budget was too small to know.
 */
export function emptyTogether(
  all: readonly Names[],
  stepBudget: StepBudget,
): readonly number[] | null | undefined {
  const places = [...all.keys()];
  if (all.length === 0 || haveObviously(all, stepBudget)) return null;
  const name = nameIn(all, stepBudget);
  if (name !== null) return name === undefined ? undefined : null;
  let sets = 0;
  for (let size = 1; size < all.length; size += 1) {
    for (const set of subsets(places, size)) {
      sets += 1;
      if (sets > MOST_SETS || stepBudget.left < 0) return places;
      const some = set.flatMap((at) => all[at] ?? []);
      if (nameIn(some, stepBudget) === null) return set;
    }
  }
  return places;
}

function nameIn(all: readonly Names[], stepBudget: StepBudget): string | null | undefined {
  return commonName(
    all.map(({ allowed }) => allowed),
    stepBudget,
    all.flatMap(({ denied }) => denied),
  );
}

/**
 * True if a name that one list contains is common to all lists. Most common names are found this way. A full search
 * takes a thousand times as long.
 */
function haveObviously(all: readonly Names[], stepBudget: StepBudget): boolean {
  const [shortest] = all.toSorted((one, other) => one.allowed.length - other.allowed.length);
  if (shortest === undefined || !consume(stepBudget, all.length)) return false;
  const matches = (globs: readonly string[], name: string) => {
    const matcher = matcherOf(globs, stepBudget);
    return consume(stepBudget, matcher.steps) && matcher(name) !== null;
  };
  return shortest.allowed
    .flatMap((pattern) => ['', ANY_RUN].map((run) => pattern.replaceAll('*', run)))
    .some((name) =>
      all.every(
        ({ allowed, denied }) => matches(allowed, name) && !matches(denied, name) && stepBudget.left >= 0,
      ),
    );
}

const ANY_RUN = '_';

const matchers = new WeakMap<readonly string[], GlobMatcher>();

function matcherOf(globs: readonly string[], stepBudget: StepBudget): GlobMatcher {
  const known = matchers.get(globs);
  if (known !== undefined) return known;
  consume(stepBudget, globs.length);
  const made = compileGlobs(globs);
  matchers.set(globs, made);
  return made;
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
