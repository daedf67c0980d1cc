/** One attempt of a call at one upstream. */
import type { IncomingMessage } from 'node:http';
import { isUnsent } from '@mandate/runtime';
import type { Upstreams } from '@mandate/server';
import type { Target } from '../models/route-model.ts';
import { headersForUpstream } from '../requests/forwarded-headers.ts';
import { upstreamUrl } from '../requests/upstream-url.ts';

export type Sent = {
  /** The path after the base URL of the provider's SDK, with the query of the client. */
  path: string;
  rawHeaders: readonly string[];
  body: Uint8Array;
  signal: AbortSignal;
};

/**
 * The end of an attempt. `unanswered`: the upstream may have read the request, so it may bill the input. `error` never
 * contains a key.
 */
export type Attempt =
  | { kind: 'answered'; answer: IncomingMessage; ms: number }
  | { kind: 'unsent' | 'unanswered'; error: unknown };

export async function attempt(upstreams: Upstreams, target: Target, sent: Sent): Promise<Attempt> {
  const { upstream } = target;
  const { path, rawHeaders, body, signal } = sent;
  const begunMs = performance.now();
  try {
    const answer = await upstreams.send({
      url: upstreamUrl(target, path),
      method: 'POST',
      headers: headersForUpstream(rawHeaders, upstream, body.length),
      ...{ body, signal, times: upstream },
    });
    return { kind: 'answered', answer, ms: performance.now() - begunMs };
  } catch (error) {
    return { kind: isUnsent(error) ? 'unsent' : 'unanswered', error };
  }
}

/** True if another upstream should be asked: this one is overloaded, or fails. */
export function isAway({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode === 429 || statusCode >= 500;
}
