/**
 * The URL of a Redis that Sentinel watches: the addresses of the sentinels, and the name of the primary to ask for.
 */

export type SentinelUrl = {
  /** True to use TLS for the servers and the sentinels. */
  tls: boolean;
  sentinels: readonly { host: string; port: number }[];
  /** The name by which the sentinels know the primary. */
  name: string;
  db: number;
  /** The credentials for the servers. The sentinels have separate credentials. */
  username?: string;
  password?: string;
};

const SCHEME = /^rediss?\+sentinel:\/\//;
const FORM =
  /^redis(?<s>s?)\+sentinel:\/\/(?:(?<user>[^:@/]*):(?<password>[^:@/]+)@)?(?<hosts>[^@/?#]+)\/(?<name>[^/?#]+)(?:\/(?<db>\d{1,4}))?$/;
const HOST = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<host>[^\s:[\]]+))(?::(?<port>\d{1,5}))?$/i;
const DEFAULT_PORT = 26379;
const HIGHEST_PORT = 65_535;

export function isSentinelUrl(url: string): boolean {
  return SCHEME.test(url);
}

/**
 * Reads `redis+sentinel://[user:password@]host[:port],…/name[/database]`, or `rediss+sentinel://` for TLS. Reserved
 * characters in user, password and name are percent-encoded. Returns null for any other text.
 */
export function readSentinelUrl(url: string): SentinelUrl | null {
  const { s, user, password, hosts, name, db } = FORM.exec(url)?.groups ?? {};
  const sentinels = hosts?.split(',').map(sentinelAt) ?? [];
  const [asWhom, word, ofWhat] = [user, password, name].map(decoded);
  if (asWhom === null || word === null || ofWhat === null || ofWhat === undefined) return null;
  const found = sentinels.filter((each) => each !== null);
  if (found.length === 0 || found.length < sentinels.length) return null;
  return {
    tls: s === 's',
    sentinels: found,
    name: ofWhat,
    db: Number(db ?? 0),
    ...(asWhom && { username: asWhom }),
    ...(word && { password: word }),
  };
}

function sentinelAt(text: string): { host: string; port: number } | null {
  const { v6, host = v6, port = DEFAULT_PORT } = HOST.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) > HIGHEST_PORT || Number(port) === 0) return null;
  return { host, port: Number(port) };
}

function decoded(text: string | undefined): string | null | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return null;
  }
}
