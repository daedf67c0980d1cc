/** Compares two texts line by line. */

export type DiffLine = { is: 'same' | 'added' | 'removed'; text: string };

/** Returns the lines of both texts in order. A changed line is removed first, and then added. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  const kept = longestKept(was, is);
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < is.length) {
    const [old, now] = [was[i], is[j]];
    if (old !== undefined && old === now) {
      found.push({ is: 'same', text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (now === undefined || kept(i + 1, j) >= kept(i, j + 1))) {
      found.push({ is: 'removed', text: old });
      i += 1;
    } else if (now !== undefined) {
      found.push({ is: 'added', text: now });
      j += 1;
    }
  }
  return found;
}

/** Lines of this many before and after a change are shown with the change. */
const AROUND = 3;

/** A run of lines to show, or the number of equal lines that are left out. */
export type DiffPart = readonly DiffLine[] | number;

/** Leaves out equal lines that are far from every change. */
export function shortened(lines: readonly DiffLine[]): readonly DiffPart[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => line.is !== 'same');
  const parts: DiffPart[] = [];
  let run: DiffLine[] = [];
  let hidden = 0;
  for (const [index, line] of lines.entries()) {
    if (isNear(index)) {
      if (hidden > 0) parts.push(hidden);
      hidden = 0;
      run.push(line);
      continue;
    }
    if (run.length > 0) parts.push(run);
    run = [];
    hidden += 1;
  }
  if (run.length > 0) parts.push(run);
  if (hidden > 0) parts.push(hidden);
  return parts;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/**
 * Returns a function that says how many lines at most can be kept from these two places on. The table has a cell for
 * each pair of lines, so texts with more than `MOST` pairs are not compared.
 */
function longestKept(was: readonly string[], is: readonly string[]): (i: number, j: number) => number {
  const width = is.length + 1;
  if (width * (was.length + 1) > MOST) return () => 0;
  const table = new Uint32Array(width * (was.length + 1));
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = was.length - 1; i >= 0; i -= 1)
    for (let j = is.length - 1; j >= 0; j -= 1)
      table[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

const MOST = 4_000_000;
