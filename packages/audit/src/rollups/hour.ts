/** Time as the rollups count it: whole hours since 1970, UTC, and days of 24 of them. */
export const HOUR_MS = 3_600_000;

/**
 * @param time a column of type DateTime64(3); in a form through which ClickHouse sees what its indexes say of that column
 * @param hours SQL of an array that is constant
 */
export function inHours(time: string, hours: string): string {
  return `intDiv(toUnixTimestamp64Milli(${time}), ${HOUR_MS}) IN (SELECT arrayJoin(${hours}))`;
}

/** The first hour of an hour's day. */
export function dayOf(hour: string): string {
  return `intDiv(${hour}, 24) * 24`;
}
