/** Figures in a row of their own, one character each: nothing is a blank, the highest fills its character. */
const BARS = '▁▂▃▄▅▆▇█';

export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  return values.map((value) => barOf(value ?? 0, highest)).join('');
}

/** What was given back is below nothing, and shown as nothing. */
function barOf(value: number, highest: number): string {
  if (value <= 0) return ' ';
  return BARS.charAt(Math.ceil((value / highest) * BARS.length) - 1);
}
