/** When something was, at the head of its line: of today (UTC) the time of day, of another day the date as well. */
export function lineTime(at: string, nowMs: number): string {
  const [day, time] = [at.slice(0, 10), at.slice(11, 23)];
  return new Date(nowMs).toISOString().startsWith(day) ? time : `${day} ${time}`;
}
