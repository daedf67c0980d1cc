/** The difference of two texts, line by line: lines in both, only in the first, or only in the second. */
type DiffLine = { sign: ' ' | '-' | '+'; line: string };

/**
 * If more pairs of lines than this would be compared, the changed middle of the text is shown as removed and added.
 */
const MOST_PAIRS = 1_000_000;

export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first++;
  let last = 0;
  const room = Math.min(before.length, after.length) - first;
  while (last < room && before[before.length - 1 - last] === after[after.length - 1 - last]) last++;
  return [
    ...signed(' ', before.slice(0, first)),
    ...middle(before.slice(first, before.length - last), after.slice(first, after.length - last)),
    ...signed(' ', before.slice(before.length - last)),
  ];
}

/**
 * Compares the parts of two texts between their common first and last lines, by the longest common sequence of lines.
 */
function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MOST_PAIRS) return [...signed('-', before), ...signed('+', after)];
  const width = after.length + 1;
  // common[i * width + j]: the length of the longest common sequence of lines, from line i of `before` and line j of
  // `after`.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old = '', young = ''] = [before[i], after[j]];
    if (i < before.length && j < after.length && old === young) {
      lines.push({ sign: ' ', line: old });
      i++;
      j++;
    } else if (j === after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', line: old });
      i++;
    } else {
      lines.push({ sign: '+', line: young });
      j++;
    }
  }
  return lines;
}

function signed(sign: DiffLine['sign'], lines: readonly string[]): DiffLine[] {
  return lines.map((line) => ({ sign, line }));
}
