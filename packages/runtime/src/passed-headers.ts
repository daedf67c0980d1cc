/** The headers of a request or answer that a proxy passes on. */

/** Headers that belong to one connection (RFC 9110, section 7.6.1). */
const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/**
 * Returns the headers without those of the connection, and without those that `connection` names. Each header keeps its
 * spelling and its place, and repeated headers stay repeated.
 *
 * @param raw names and values in turn, as Node gives them
 * @param isPassed says for a name in small letters whether the header is passed on
 */
export function passedHeaders(raw: readonly string[], isPassed: (name: string) => boolean): string[] {
  const headers = pairsOf(raw);
  const named = new Set(
    headers
      .filter(({ lower }) => lower === 'connection')
      .flatMap(({ value }) => value.split(',').map((one) => one.trim().toLowerCase())),
  );
  return headers
    .filter(({ lower }) => !OF_A_CONNECTION.has(lower) && !named.has(lower) && isPassed(lower))
    .flatMap(({ name, value }) => [name, value]);
}

function pairsOf(raw: readonly string[]): { name: string; lower: string; value: string }[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => {
    const [name = '', value = ''] = raw.slice(2 * at, 2 * at + 2);
    return { name, lower: name.toLowerCase(), value };
  });
}
