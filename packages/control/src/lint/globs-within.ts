/** Lists of globs as sets of names: finds whether one list matches everything that another matches. */

import { compileGlobs } from '@mandate/policy';
import type { GlobMatcher } from '@mandate/policy/parts';
import { consume, type StepBudget } from '@mandate/policy/parts';

/** At most this many characters of patterns are compared with those of one list: 4 ms on a machine of 2026. */
const OF_A_LIST = 2_000_000;

/**
 * Returns a function that is true if the list matches everything that a glob matches. That is so exactly if the list
 * matches the glob itself, after each * was replaced by a character that the list does not contain.
 *
 * @param unknown the answer if comparing would take long
 * @param stepBudget how many characters of patterns may still be compared; lists may share it
 */
export function globsWithin(
  globs: readonly string[],
  unknown = false,
  stepBudget: StepBudget = { left: OF_A_LIST },
): (glob: string) => boolean {
  const same = new Set(globs);
  const matches: GlobMatcher = compileGlobs(globs);
  // Each of these globs may need its own pass over the text.
  const dear = globs.filter((glob) => glob.split('*').filter((part) => part !== '').length > 1).length;
  return (glob) => {
    if (same.has(glob)) return true;
    if (!consume(stepBudget, glob.length * (1 + dear))) return unknown;
    return matches(glob.replaceAll('*', UNSPELLED)) !== null;
  };
}

/** Represents any character. It is a private one, so no name and no pattern contains it. */
export const UNSPELLED = '\uE000';
