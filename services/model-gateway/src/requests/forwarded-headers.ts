/** Which headers of a request reach the upstream, and which headers of its answer reach the client. */
import { passedHeaders } from '@mandate/runtime/passed-headers';
import type { Upstream } from '../models/models-shape.ts';

/**
 * Headers of a request that are for the gateway. A key of Mandate must never reach an upstream. The answer is asked for
 * without compression, because the gateway reads its usage.
 */
const FOR_THE_GATEWAY = new Set([
  ...['accept-encoding', 'content-encoding', 'content-length', 'cookie', 'expect', 'host'],
  ...['authorization', 'x-api-key', 'api-key'],
]);

/** Cookies of an upstream belong to its own host. Node writes the framing of the answer itself. */
const OF_THE_UPSTREAM = new Set(['set-cookie']);

type Headers = readonly string[];

/** @param raw names and values in turn, as Node gives them */
export function headersForUpstream(raw: Headers, upstream: Upstream, bodyBytes: number): string[] {
  const own = new Map(Object.entries(upstream.headers));
  const key = credentialOf(upstream);
  if (key !== null) own.set(...key);
  const isReplaced = new Set([...own.keys()].map((name) => name.toLowerCase()));
  const kept = passedHeaders(
    raw,
    (name) => !FOR_THE_GATEWAY.has(name) && !name.startsWith('x-mandate-') && !isReplaced.has(name),
  );
  return [
    ...kept,
    ...[...own].flat(),
    ...['accept-encoding', 'identity', 'content-length', String(bodyBytes)],
    ...['host', new URL(upstream.baseUrl).host],
  ];
}

/** @param isChanged true if the body may get another length */
export function headersForClient(raw: Headers, isChanged: boolean): string[] {
  return passedHeaders(
    raw,
    (name) => !OF_THE_UPSTREAM.has(name) && !(isChanged && name === 'content-length'),
  );
}

function credentialOf({ auth, apiKey }: Upstream): [name: string, value: string] | null {
  if (apiKey === null || auth === 'none') return null;
  return auth === 'bearer' ? ['authorization', `Bearer ${apiKey}`] : [auth, apiKey];
}
