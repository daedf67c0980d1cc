/** Returns the time at the beginning of a line: for today (UTC) only the time of day, otherwise also the date. */
export function lineTime(at: string, nowMs: number): string {
  const [day, time] = [at.slice(0, 10), at.slice(11, 23)];
  return new Date(nowMs).toISOString().startsWith(day) ? time : `${day} ${time}`;
}
