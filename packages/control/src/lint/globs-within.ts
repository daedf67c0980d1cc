/** Compares lists of globs as sets of names: does one list match every name that another list matches? */

import { compileGlobs } from '@mandate/policy';
import type { GlobMatcher } from '@mandate/policy/parts';
import { consume, type StepBudget } from '@mandate/policy/parts';

/** At most this many characters of patterns are compared with one list: 4 ms on a machine of 2026. */
const OF_A_LIST = 2_000_000;

/**
 * Returns a function that tells whether the list matches every name that a glob matches. To find out, each * in the
 * glob is replaced by a character that the list does not contain. The list must match the resulting text.
 *
 * @param unknown the answer if a comparison would take too long
 * @param stepBudget how many characters of patterns may still be compared; several lists may share it
 */
export function globsWithin(
  globs: readonly string[],
  unknown = false,
  stepBudget: StepBudget = { left: OF_A_LIST },
): (glob: string) => boolean {
  const same = new Set(globs);
  const matches: GlobMatcher = compileGlobs(globs);
  // The number of globs with several fixed parts. Each of these globs may read the whole text again.
  const dear = globs.filter((glob) => glob.split('*').filter((part) => part !== '').length > 1).length;
  return (glob) => {
    if (same.has(glob)) return true;
    if (!consume(stepBudget, glob.length * (1 + dear))) return unknown;
    return matches(glob.replaceAll('*', UNSPELLED)) !== null;
  };
}

/** Represents any character. Unicode reserves it for private use, so no name and no pattern contains it. */
export const UNSPELLED = '\uE000';
