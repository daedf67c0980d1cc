/** Lists of globs as languages: what one matches, another may match as well. */

import { compileGlobs } from '@mandate/policy';
import type { GlobMatcher } from '@mandate/policy/parts';
import { type Effort, takes } from '@mandate/policy/parts';

/** Characters of patterns that are compared with those of one list at most: 4 ms on a machine of 2026. */
const OF_A_LIST = 2_000_000;

/**
 * Whether all that a glob matches is matched by the list: it is just when the list matches the glob itself, with each * a
 * character that none of the list spells out.
 *
 * @param unknown the answer where it would take long
 * @param effort how many characters of patterns may still be compared; lists may share it
 */
export function globsWithin(
  globs: readonly string[],
  unknown = false,
  effort: Effort = { left: OF_A_LIST },
): (glob: string) => boolean {
  const same = new Set(globs);
  const matches: GlobMatcher = compileGlobs(globs);
  // Each of them may take a pass of its own.
  const dear = globs.filter((glob) => glob.split('*').filter((part) => part !== '').length > 1).length;
  return (glob) => {
    if (same.has(glob)) return true;
    if (!takes(effort, glob.length * (1 + dear))) return unknown;
    return matches(glob.replaceAll('*', UNSPELLED)) !== null;
  };
}

/** Stands for any character: no name and no pattern holds a private one. */
export const UNSPELLED = '\uE000';
