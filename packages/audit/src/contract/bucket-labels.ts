import type { Interval } from '../queries/timeline.ts';

/**
 * Returns a label for the bucket of a moment, from the clock of a time zone. All moments of a bucket have the same
 * label.
 */
export function bucketLabels({
  interval,
  timeZone,
}: {
  interval: Interval;
  timeZone: string;
}): (atMs: number) => string {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const dayOf = (atMs: number) => clock.format(atMs).slice(0, 10);
  /** Returns the start of the day in epoch milliseconds. Every day begins at a multiple of a quarter of an hour. */
  const midnightOf = (atMs: number) => {
    let quarter = Math.floor(atMs / 900_000) * 900_000;
    while (dayOf(quarter - 900_000) === dayOf(atMs)) quarter -= 900_000;
    return quarter;
  };
  const exactly = (stepMs: number) => (atMs: number) =>
    `${dayOf(atMs)} ${Math.floor((atMs - midnightOf(atMs)) / stepMs)}`;
  const weekOf = (atMs: number) => {
    const day = new Date(dayOf(atMs));
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString();
  };
  return {
    '5m': exactly(300_000),
    '15m': exactly(900_000),
    '1h': exactly(3_600_000),
    '6h': (atMs: number) => `${dayOf(atMs)} ${Math.floor(Number(clock.format(atMs).slice(11, 13)) / 6)}`,
    '1d': dayOf,
    '1w': weekOf,
    '1mo': (atMs: number) => dayOf(atMs).slice(0, 7),
  }[interval];
}
