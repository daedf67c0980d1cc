/**
 * Returns the wait in milliseconds that the header `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or an
 * HTTP date in its preferred form. Null for any other text, because `Date.parse` would guess a time.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  const isDate = !Number.isNaN(atMs) && new Date(atMs).toUTCString() === header;
  return isDate ? Math.max(0, atMs - nowMs) : null;
}
