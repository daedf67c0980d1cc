/** The units of durations, the largest first, with their milliseconds. */
export const DURATION_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Writes a duration in the largest unit that is exact: 1 h, 90 s, 1500 ms. */
export function durationInWords(ms: number): string {
  const [unit, unitMs] = DURATION_UNITS.find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / unitMs} ${unit}`;
}

/** Rewrites the durations in a message for people: `3 in 86400000 ms` becomes `3 in 1 d`. */
export function withDurationsInWords(text: string): string {
  return text.replace(/\b\d{4,15} ms\b/g, (said) => durationInWords(Number.parseInt(said, 10)));
}
