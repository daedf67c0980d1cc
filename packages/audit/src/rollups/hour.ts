/** Rollups count time in whole hours since 1970 in UTC, and in days of 24 such hours. */
export const HOUR_MS = 3_600_000;

/**
 * SQL that is true if the time is in these hours. ClickHouse can use its indexes for this SQL.
 *
 * @param time a column of type DateTime64(3)
 * @param hours SQL of a constant array
 */
export function inHours(time: string, hours: string): string {
  return `notEmpty(${hours}) AND intDiv(toUnixTimestamp64Milli(${time}), ${HOUR_MS}) IN (SELECT arrayJoin(${hours}))`;
}

/** SQL for the first hour of the day that contains an hour. */
export function dayOf(hour: string): string {
  return `intDiv(${hour}, 24) * 24`;
}
