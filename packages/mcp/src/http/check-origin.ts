/**
 * Refuses requests that a web page sends. A page on the internet can make a browser send requests to 127.0.0.1, under
 * any host name that resolves to it. So the headers Host and Origin must name known hosts.
 */
import type { IncomingMessage } from 'node:http';

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the fault of the request, or null.
 *
 * @param known further host names, without port
 */
export function originFault({ headers }: IncomingMessage, known: ReadonlySet<string>): string | null {
  const isKnown = (hostname: string) => LOCAL.has(hostname) || known.has(hostname);
  const host = hostnameOf(`http://${headers.host ?? ''}`);
  if (host === null || !isKnown(host)) return `The host "${headers.host ?? ''}" is not known.`;
  const { origin } = headers;
  if (origin === undefined) return null;
  const from = hostnameOf(origin);
  return from !== null && isKnown(from) ? null : `The origin "${origin}" is not known.`;
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}
