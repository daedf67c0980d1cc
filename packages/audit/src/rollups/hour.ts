/** Time as the rollups count it: whole hours since 1970, UTC, and days of 24 of them. */
export const HOUR_MS = 3_600_000;

/**
 * In a form through which ClickHouse sees what its indexes say of that column; and of no hours, without a look at those.
 *
 * @param time a column of type DateTime64(3)
 * @param hours SQL of an array that is constant
 */
export function inHours(time: string, hours: string): string {
  return `notEmpty(${hours}) AND intDiv(toUnixTimestamp64Milli(${time}), ${HOUR_MS}) IN (SELECT arrayJoin(${hours}))`;
}

/** The first hour of an hour's day. */
export function dayOf(hour: string): string {
  return `intDiv(${hour}, 24) * 24`;
}
