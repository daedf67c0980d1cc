/** Which headers of a request reach the upstream, and which headers of its answer reach the client. */
import type { Upstream } from '../models/models-shape.ts';

/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const OF_A_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Headers of a request that are for the gateway. A key of Mandate must never reach an upstream. The answer is asked for
 * without compression, because the gateway reads its usage.
 */
const FOR_THE_GATEWAY = new Set([
  ...OF_A_CONNECTION,
  ...['accept-encoding', 'content-encoding', 'content-length', 'cookie', 'expect', 'host'],
  ...['authorization', 'x-api-key', 'api-key'],
]);

/** Cookies of an upstream belong to its own host. Node writes the framing of the answer itself. */
const OF_THE_UPSTREAM = new Set([...OF_A_CONNECTION, 'set-cookie']);

type Headers = readonly string[];

/** @param raw names and values in turn, as Node gives them */
export function headersForUpstream(raw: Headers, upstream: Upstream, bodyBytes: number): string[] {
  const own = new Map(Object.entries(upstream.headers));
  const key = credentialOf(upstream);
  if (key !== null) own.set(...key);
  const isReplaced = new Set([...own.keys()].map((name) => name.toLowerCase()));
  const kept = filtered(
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
  return filtered(raw, (name) => !OF_THE_UPSTREAM.has(name) && !(isChanged && name === 'content-length'));
}

/** Also leaves out the headers that `connection` names. */
function filtered(raw: Headers, isKept: (name: string) => boolean): string[] {
  const kept: string[] = [];
  const named = new Set<string>();
  eachHeader(raw, (name, value) => {
    if (name.toLowerCase() === 'connection')
      for (const one of value.split(',')) named.add(one.trim().toLowerCase());
  });
  eachHeader(raw, (name, value) => {
    const lower = name.toLowerCase();
    if (isKept(lower) && !named.has(lower)) kept.push(name, value);
  });
  return kept;
}

function eachHeader(raw: Headers, take: (name: string, value: string) => void): void {
  for (let at = 0; at + 1 < raw.length; at += 2) take(raw[at] ?? '', raw[at + 1] ?? '');
}

function credentialOf({ auth, apiKey }: Upstream): [name: string, value: string] | null {
  if (apiKey === null || auth === 'none') return null;
  return auth === 'bearer' ? ['authorization', `Bearer ${apiKey}`] : [auth, apiKey];
}
