/** Lists of globs as languages: what one matches, another may match as well. */
import { compileGlobs, type GlobMatcher } from '../glob.ts';

/** So many characters of patterns are held against those of a list, a few tenths of a second; what comes then is not known. */
const MOST_UNITS = 20_000_000;

/**
 * Whether all that a glob matches is matched by the list: it is just when the list matches the glob itself, with each * a
 * character that none of the list spells out.
 *
 * @param unknown the answer where it would take long
 */
export function globsWithin(globs: readonly string[], unknown = false): (glob: string) => boolean {
  const same = new Set(globs);
  const matches: GlobMatcher = compileGlobs(globs);
  // Each of them may take a pass of its own.
  const dear = globs.filter((glob) => glob.split('*').filter((part) => part !== '').length > 1).length;
  let units = 0;
  return (glob) => {
    if (same.has(glob)) return true;
    units += glob.length * (1 + dear);
    if (units > MOST_UNITS) return unknown;
    return matches(glob.replaceAll('*', UNSPELLED)) !== null;
  };
}

/** Stands for any character: no name and no pattern holds a private one. */
export const UNSPELLED = '\uE000';
