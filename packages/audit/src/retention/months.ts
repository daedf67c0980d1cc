/**
 * The months of retention: calendar months in UTC, like the partitions of the tables. The first instant of a month
 * stands for the month.
 */

/**
 * Returns the start of the first month that is kept. Months before it are past. A month is past after `keepMonths`
 * whole months have followed it. With 24, January 2026 is past from 2028-02-01T00:00:00.000Z on. So every row is kept
 * for at least `keepMonths` months, and at most one month longer.
 *
 * @throws RangeError unless `keepMonths` is a whole number of at least 1, because a wrong number could drop rows
 */
export function retentionStartMs(keepMonths: number, nowMs: number): number {
  return monthsBefore(wholeMonths(keepMonths), nowMs);
}

/** Returns the start of the newest `months` months. The current month counts as one of them. */
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

/** Returns the month as YYYYMM. This text sorts by time and is the name of a partition. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7).replace('-', '');
}
