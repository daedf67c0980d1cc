/**
 * Decides who may call a route, before the body is read. A route declares `config: { scope: 'publish' }` or `config:
 * { public: true }`. A route without either refuses every caller, so a forgotten scope opens nothing.
 *
 * A key comes in a header, or in the session of a browser. A browser adds its cookie to requests of any page. So a
 * change with a session must come from a page of this server.
 */

import type { Clock } from '@mandate/runtime';
import { type ApiKeyRecord, type ApiScope, GRAVE_ROUTES } from '@mandate/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseApiKey } from '../api-keys/key-format.ts';
import type { KeyHolder, KeyStore, KnownKey } from '../api-keys/key-store.ts';
import type { Metrics } from '../metrics.ts';
import type { BoundSockets } from './bound-sockets.ts';
import { type BrowserSession, type BrowserSessions, isFresh, isOfOwnPage } from './browser-session.ts';
import { type Caller, callerWith, networkOf } from './caller-rooms.ts';
import type { HttpLimits } from './http-limits.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a key must have. If it is a list, one of its scopes is enough. */
    scope?: ApiScope | readonly ApiScope[];
    /** True if the route is open to every caller, without a key. */
    public?: boolean;
    /** True if the route has no rate limit, because it stops agents. */
    unlimited?: boolean;
    /**
     * True if a browser may call the route only a short time after the sign-in, because its effect is hard to undo.
     * Every route in `GRAVE_ROUTES` gets it.
     */
    grave?: boolean;
  }
  interface FastifyRequest {
    /** The caller for whom the request counts: its key, or its address if it has no key. */
    caller: Caller;
    /** The record of the caller's key. Null on public routes. */
    principalKey: KnownKey | null;
    /**
     * The owner of a key that does not count: a revoked key, or a text with a correct id and a wrong secret.
     * Null if there is no such key.
     */
    namedKey: KeyHolder | null;
    /** The session that the request showed. Null if its key came in a header, or if it showed none. */
    browserSession: BrowserSession | null;
    /** Returns true if the key is still valid. Used by work that continues long after the request was admitted. */
    keyStillHolds(): Promise<boolean>;
  }
}

/** Returns the record of the caller's key. Throws on a public route, because calling it there is a bug. */
export function callerOf(request: FastifyRequest): ApiKeyRecord {
  if (request.principalKey === null) throw new TypeError('a public route has no caller');
  return request.principalKey;
}

/** @param keys null if no key is accepted, as in a service with only public routes */
export function authenticate(
  server: HttpServer,
  {
    keys,
    limits,
    metrics,
    sockets,
    sessions,
    clock,
  }: {
    keys: KeyStore | null;
    limits: HttpLimits;
    metrics: Metrics;
    sockets: BoundSockets;
    /** Null if this server accepts no sessions of browsers. */
    sessions: BrowserSessions | null;
    clock: Clock;
  },
): void {
  const refusals = metrics.counter({
    name: 'mandate_http_refusals_total',
    help: 'Requests refused for their credentials or their rate, by problem code',
    labels: ['code'],
  });
  const keyRate = server.createRateLimit({
    max: limits.requestsPerKeyPerSecond,
    timeWindow: 1_000,
    keyGenerator: (request) => callerOf(request).id,
  });
  const refusalRate = server.createRateLimit({ max: limits.refusalsPerAddressPerMinute, timeWindow: 60_000 });

  function refuse(request: FastifyRequest, problem: HttpProblem): never {
    refusals.inc({ code: problem.code });
    // Refusals for a rate have a low log level, because a flood of them would fill the log. A counter counts them.
    const level = problem.status === 429 ? 'debug' : 'warn';
    request.log[level](
      {
        code: problem.code,
        method: request.method,
        route: request.routeOptions.url,
        address: request.ip,
        keyId: request.principalKey?.id ?? parseApiKey(credentialOf(request) ?? '')?.id,
      },
      'request refused',
    );
    throw problem;
  }

  server.addHook('onRoute', (route) => {
    const name = `${route.method} ${route.url.replaceAll(/:(\w+)/g, '{$1}')}`;
    if (GRAVE_ROUTES.includes(name)) route.config = { ...route.config, grave: true };
  });
  // The value null is replaced by the first hook.
  server.decorateRequest('caller', null as never);
  server.decorateRequest('principalKey', null);
  server.decorateRequest('namedKey', null);
  server.decorateRequest('browserSession', null);
  server.decorateRequest('keyStillHolds', async function (this: FastifyRequest) {
    const credential = credentialOf(this);
    if (credential === null || keys === null) return false;
    // If the look-up of the key fails, the key also counts as not valid.
    return keys.find(credential).then(
      (key) => key !== null,
      () => false,
    );
  });
  server.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions;
    request.caller = callerWith(null, networkOf(request.ip));
    if (request.is404 || config.public === true) return;

    const nowMs = clock();
    if (sessions !== null && !hasKeyInHeaders(request)) {
      request.browserSession = sessions.read(request.headers.cookie, nowMs);
    }
    const session = request.browserSession;
    if (session !== null && !isSafe(request) && !isOfOwnPage(request)) refuse(request, crossSite());
    const credential = credentialOf(request);
    request.principalKey = credential === null || keys === null ? null : await keys.find(credential);
    if (request.principalKey === null) {
      const id = parseApiKey(credential ?? '')?.id;
      request.namedKey = id === undefined || keys === null ? null : await keys.holderOf(id);
      const wait = secondsToWait(reply, await refusalRate(request));
      if (wait !== null) refuse(request, tooManyRequests(wait));
      const expiredAt = credential === null || keys === null ? null : await keys.expiredAt(credential);
      refuse(request, expiredAt === null ? unauthenticated(credential) : keyExpired(expiredAt));
    }

    request.caller = callerWith(request.principalKey, request.ip);
    sockets.shown(request.raw.socket, request.caller);
    const wait = config.unlimited === true ? null : secondsToWait(reply, await keyRate(request));
    if (wait !== null) refuse(request, tooManyRequests(wait));

    const accepted = [config.scope ?? []].flat();
    const { scopes, withheld = [] } = request.principalKey;
    if (accepted.some((scope) => scopes.includes(scope))) {
      if (session === null) return;
      if (config.grave === true && !isFresh(session, nowMs)) refuse(request, signInAgain());
      const cookie = sessions?.renewed(session, nowMs) ?? null;
      if (cookie !== null) reply.header('set-cookie', cookie);
      return;
    }
    const isWithheld = accepted.some((scope) => withheld.includes(scope));
    refuse(request, isWithheld ? tenantIsClosed() : forbidden(accepted));
  });
}

type Rate = Awaited<ReturnType<ReturnType<HttpServer['createRateLimit']>>>;

/**
 * Returns the seconds that a caller with too many requests must wait, or null. Answers have headers with the rest of
 * the rate. Answers to an admitted POST have none, because they cost a publisher 4 µs each time.
 */
function secondsToWait(reply: FastifyReply, rate: Rate): number | null {
  if (rate.isAllowed) return null;
  if (rate.isExceeded || reply.request.method !== 'POST') {
    reply
      .header('ratelimit-limit', rate.max)
      .header('ratelimit-remaining', rate.remaining)
      .header('ratelimit-reset', rate.ttlInSeconds);
  }
  return rate.isExceeded ? rate.ttlInSeconds : null;
}

/** Returns the key that the caller showed. It was not checked. Null if there is none. */
export function credentialOf({
  headers,
  browserSession,
}: Pick<FastifyRequest, 'headers' | 'browserSession'>): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const apiKey = headers['x-api-key'];
  return bearer ?? (typeof apiKey === 'string' ? apiKey.trim() : (browserSession?.key ?? null));
}

function hasKeyInHeaders({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

function isSafe({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

const CHALLENGE = 'Bearer realm="mandate"';

function keyExpired(expiredAt: string): HttpProblem {
  return new HttpProblem(401, 'KEY_EXPIRED', `this API key expired at ${expiredAt}`, {
    remedy: 'Use another key, or ask for a new one. An expired key never works again.',
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

export function unauthenticated(credential: string | null): HttpProblem {
  if (credential === null) {
    return new HttpProblem(401, 'UNAUTHENTICATED', 'an API key is required', {
      remedy: 'Send it in the header authorization: Bearer sk-mdt_…',
      headers: { 'www-authenticate': CHALLENGE },
    });
  }
  const [message, remedy] =
    parseApiKey(credential) === null
      ? ['this is not an API key: its form or its checksum is wrong', 'Copy the whole key, from sk- on.']
      : ['this API key is unknown or revoked', 'Use a valid key, or ask the operator to issue one.'];
  return new HttpProblem(401, 'UNAUTHENTICATED', message, {
    remedy,
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

export function forbidden(accepted: readonly ApiScope[]): HttpProblem {
  if (accepted.length === 0) {
    return new HttpProblem(403, 'FORBIDDEN', 'no key may use this route', {
      remedy: 'Tell the operator that the route declares no scope and is not public.',
    });
  }
  const scopes = accepted.join(' or ');
  return new HttpProblem(403, 'FORBIDDEN', `this API key lacks the scope ${scopes}`, {
    remedy: `Use a key that has the scope ${scopes}.`,
    headers: {
      'www-authenticate': `Bearer realm="mandate", error="insufficient_scope", scope="${accepted.join(' ')}"`,
    },
  });
}

function crossSite(): HttpProblem {
  return new HttpProblem(403, 'CROSS_SITE_REQUEST', 'this request did not come from a page of this server', {
    remedy: 'Open the console of this server, or send the API key in the header authorization.',
  });
}

function signInAgain(): HttpProblem {
  return new HttpProblem(403, 'SIGN_IN_AGAIN', 'this needs a sign-in of the last ten minutes', {
    remedy: 'Sign in again, then repeat the request.',
  });
}

function tenantIsClosed(): HttpProblem {
  return new HttpProblem(403, 'FORBIDDEN', 'the tenant of this API key is closed', {
    remedy:
      'Ask an operator of the plane to open the tenant again. Until then its keys can read, but change nothing.',
  });
}

export function tooManyRequests(retryAfterS: number): HttpProblem {
  return new HttpProblem(429, 'TOO_MANY_REQUESTS', 'too many requests', {
    remedy: `Wait ${retryAfterS} s, then send fewer requests.`,
    headers: { 'retry-after': String(retryAfterS) },
  });
}
