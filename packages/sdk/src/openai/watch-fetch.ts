/**
 * Watches each HTTP request of a client. A property of `fetchOptions` links a request to its call, because OpenAI's SDK
 * hands these options to `fetch` in every attempt.
 */
import { isUnsent } from '@mandate/runtime';
import { isHarmless } from '../adapters/classify-path.ts';
import { NOTHING } from '../adapters/outcome-of-delivery.ts';
import { watchBody, withBody } from '../adapters/watch-body.ts';
import type { RunningCall } from './running-call.ts';
import { replyWatcher, streamWatcher } from './watch-reply.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const LINK = Symbol('mandate.call');

/** A call that was decided, or `free`: the call needs no decision. */
export type Link = RunningCall | 'free';

/** Returns options of a request that are linked to a call. */
export function linked<T extends { fetchOptions?: object }>(options: T, link: Link): T {
  return { ...options, fetchOptions: { ...options.fetchOptions, [LINK]: link } };
}

export function linkOf(options: object | undefined): Link | undefined {
  return (options as { [LINK]?: Link } | undefined)?.[LINK];
}

/**
 * @param isOfProvider true if a request goes to the provider. Requests to others, such as for a token, pass.
 * @param refuse makes the error for a request that reached this point without a decision
 */
export function watchingFetch(
  inner: Fetch,
  isOfProvider: (url: string) => boolean,
  refuse: (url: string) => Error,
): Fetch {
  return async (input, init) => {
    const link = linkOf(init);
    if (link !== undefined && link !== 'free') return attempt(link, inner, input, init);
    const url = input instanceof Request ? input.url : String(input);
    if (link === undefined && !isHarmless(init?.method) && isOfProvider(url)) throw refuse(url);
    return inner(input, init);
  };
}

async function attempt(call: RunningCall, inner: Fetch, input: Parameters<Fetch>[0], init?: RequestInit) {
  const { signal } = call.action;
  if (signal.aborted) return stopped();
  call.attempted();
  const whole = init?.signal ? AbortSignal.any([init.signal, signal]) : signal;
  let response: Response;
  try {
    response = await inner(input, { ...init, signal: whole });
  } catch (error) {
    if (signal.aborted) return stopped();
    if (!isUnsent(error)) call.unanswered();
    throw error;
  }
  if (!response.ok) return response;
  return watched(call, response, init?.signal ?? null);
}

async function watched(call: RunningCall, response: Response, requestSignal: AbortSignal | null) {
  const { body } = response;
  // A `fetch` of another kind may return a body that cannot be watched. Its reservation stays charged.
  if (typeof body?.getReader !== 'function') {
    await call.answered('whole', NOTHING);
    return response;
  }
  const mayRetry = () => requestSignal?.aborted === true && call.callerSignal?.aborted !== true;
  const watcher = call.planned.isStream ? streamWatcher(call) : replyWatcher(call, mayRetry);
  return withBody(response, watchBody(body, { ...watcher, signal: call.action.signal }));
}

/** The caller already has the error of the call. This answer ends the attempts of the SDK. */
function stopped(): Response {
  return Response.json(
    { error: { message: 'The call was stopped by its mandate.' } },
    { status: 403, headers: { 'x-should-retry': 'false' } },
  );
}
