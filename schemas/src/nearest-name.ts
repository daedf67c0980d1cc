/**
 * Returns the known name that `name` most likely meant. Undefined if no known name is similar: at most a third of the
 * letters may differ (inserted, dropped or replaced).
 *
 * @param steps how many pairs of letters are compared at most; names after that are not compared
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  steps = Number.POSITIVE_INFINITY,
): string | undefined {
  let nearest: string | undefined;
  let least = Math.floor(name.length / 3) + 1;
  let left = steps;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    left -= name.length * candidate.length;
    if (left < 0) break;
    const distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Returns Levenshtein's distance of two texts. Only one row of the table is in memory. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
