/**
 * True if a pattern with `*` matches a name. The algorithm differs from Mandate's own, so that a test can compare
 * both: a table says which prefixes of the pattern match which prefixes of the name.
 */
export function matchesByTable(pattern: string, name: string): boolean {
  let reached = Array.from({ length: name.length + 1 }, (_, at) => at === 0);
  for (let p = 0; p < pattern.length; p += 1) {
    const next = new Array<boolean>(name.length + 1).fill(false);
    for (let n = 0; n <= name.length; n += 1) {
      if (pattern[p] === '*') next[n] = reached[n] === true || (n > 0 && next[n - 1] === true);
      else next[n] = n > 0 && reached[n - 1] === true && pattern[p] === name[n - 1];
    }
    reached = next;
  }
  return reached[name.length] === true;
}
