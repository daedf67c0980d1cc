/** The headers that the proxy reads, passes on and leaves out. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { passedHeaders } from '@mandate/runtime/passed-headers';

/** The proxy must read the answer, so it requests no compression. It also writes the length of a body itself. */
const OWN = new Set([
  ...['host', 'content-length', 'accept-encoding', 'expect'],
  // With such a header, a server could read a message in a request that contains none for the proxy.
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
]);
const MANDATE = 'x-mandate-';

/** Returns the headers that are passed on. */
export function headersOf({ rawHeaders }: IncomingMessage): string[] {
  return passedHeaders(rawHeaders, (name) => !OWN.has(name) && !name.startsWith(MANDATE));
}

/** False if a server could decode the body in another way than as UTF-8. */
export function isPlainUtf8({ rawHeaders }: IncomingMessage): boolean {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower === 'content-encoding' && value.trim().toLowerCase() !== 'identity') return false;
    if (lower !== 'content-type') continue;
    const named = value.toLowerCase().split('charset').slice(1);
    if (!named.every((after) => /^="?utf-?8"?\s*($|;|,)/.test(after))) return false;
  }
  return true;
}

/** Returns the value of a header of this proxy. Undefined if it is absent or empty. */
export function mandateHeader(
  headers: IncomingHttpHeaders,
  name: 'agent' | 'key' | 'principal' | 'run',
): string | undefined {
  const value = headers[`${MANDATE}${name}`];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the text of an `Mcp-Name` header, which may be written in base64. */
export function decodedName(header: string): string {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(header) ?? [];
  return base64 === undefined ? header : Buffer.from(base64, 'base64').toString();
}
