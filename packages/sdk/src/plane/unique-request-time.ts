/** Returns the present time with nine random digits, so that no other request has the same time. */
export function uniqueRequestTime(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const digits = String(random % 1_000_000_000).padStart(9, '0');
  return new Date().toISOString().replace('Z', `${digits}Z`);
}
