/** Months, by which rows are kept: those of the calendar, UTC, as the tables are partitioned. Each is told by its first instant. */

/**
 * The first month that is kept; those before it are past. A month is past once `keepMonths` whole months have gone by
 * since it ended: of 24, January 2026 from 2028-02-01T00:00:00.000Z on, and not a millisecond before. So every row is
 * kept for `keepMonths` months at least, and for less than a month longer.
 *
 * @throws RangeError when it is no whole number of at least 1: a caller must not drop anything by mistake
 */
export function keptFromMs(keepMonths: number, nowMs: number): number {
  return monthsBefore(wholeMonths(keepMonths), nowMs);
}

/** The same where the newest `months` are kept, of which the one that is running is the first. */
export function newestFromMs(months: number, nowMs: number): number {
  return monthsBefore(wholeMonths(months) - 1, nowMs);
}

function wholeMonths(count: number): number {
  if (Number.isInteger(count) && count >= 1) return count;
  throw new RangeError(`${count} months: at least one month is kept, and whole ones`);
}

function monthsBefore(months: number, nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
}

/** As YYYYMM, which sorts by time: the name of a partition. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7).replace('-', '');
}
