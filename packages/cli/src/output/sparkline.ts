/** Draws figures as one row of bars, one character each. Zero is a space, and the highest figure is a full bar. */
const BARS = '▁▂▃▄▅▆▇█';

export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  return values.map((value) => barOf(value ?? 0, highest)).join('');
}

/** A negative figure, such as an amount that was given back, is drawn as a space. */
function barOf(value: number, highest: number): string {
  if (value <= 0) return ' ';
  return BARS.charAt(Math.ceil((value / highest) * BARS.length) - 1);
}
