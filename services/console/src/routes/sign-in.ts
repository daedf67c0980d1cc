/** /v1/signin: how people sign in, and the sign-in through an identity provider. */
import type { Clock } from '@mandate/runtime';
import { isMandateError } from '@mandate/runtime';
import { described } from '@mandate/schemas';
import {
  type BrowserSessions,
  HttpProblem,
  type HttpReply,
  type HttpRequest,
  type HttpServer,
  type SealedCookie,
} from '@mandate/server';
import { z } from 'zod';
import { ProviderAway } from '../oidc/bounded-fetch.ts';
import { finishSignIn, providerAway } from '../oidc/finish-sign-in.ts';
import { IdentityProvider } from '../oidc/identity-provider.ts';
import type { OidcDocument } from '../oidc/oidc-document.ts';
import { ownPath } from '../oidc/own-path.ts';
import { PENDING_LASTS_MS, type PendingSignIn } from '../oidc/pending-sign-in.ts';
import type { PersonKeys } from '../oidc/person-keys.ts';

const BEGIN = '/v1/signin/oidc';
const CALLBACK = '/v1/signin/oidc/callback';

/** These routes are open to everybody, and each request may ask the identity provider. */
const MOST_PER_ADDRESS_AND_MINUTE = 300;
const MOST_AT_ONCE = 64;

const ways = z.object({
  ways: described(
    z.array(
      z.object({
        way: described(z.enum(['key', 'oidc']), 'An API key, or an identity provider.', 'oidc'),
        label: described(z.string(), 'The text of the button.', 'Sign in with Example'),
        href: described(
          z.string().nullable(),
          'The address that a browser opens. Null for an API key, which `POST /v1/session` takes.',
          BEGIN,
        ),
      }),
    ),
    'The ways to sign in. The first one is always an API key.',
  ),
});
export type SignInWays = z.output<typeof ways>;

const REDIRECT = { 303: z.null().describe('The browser goes on to the address in `location`.') };

export type SignInParts = {
  sessions: BrowserSessions;
  pending: SealedCookie<PendingSignIn>;
  keys: PersonKeys;
  /** Null if people cannot sign in through an identity provider. */
  oidc: () => OidcDocument | null;
  /** The address at which the server listens. Null if no browser can open it. */
  ownUrl: () => string | null;
  clock: Clock;
};

export function showSignInWays(server: HttpServer, { oidc }: Pick<SignInParts, 'oidc'>): void {
  server.get(
    '/v1/signin',
    {
      config: { public: true },
      schema: {
        tags: ['session'],
        summary: 'Show how people can sign in',
        response: { 200: ways },
      },
    },
    () => {
      const document = oidc();
      const key = { way: 'key' as const, label: 'API key', href: null };
      return {
        ways: document === null ? [key] : [key, { way: 'oidc' as const, label: document.label, href: BEGIN }],
      };
    },
  );
}

/** A refusal of these routes sends the browser to the page for signing in, with the code of the refusal. */
export function refuseOnSignInPage(server: HttpServer, { pending }: Pick<SignInParts, 'pending'>): void {
  server.setErrorHandler((error, request, reply) => {
    const isRefusal = error instanceof HttpProblem || (isMandateError(error) && error.retryable);
    if (!isRefusal) throw error;
    if (!(error instanceof HttpProblem) || error.status >= 500)
      request.log.warn({ err: error, code: error.code }, 'the sign-in failed');
    const { back = '/', again = false } = pending.read(request.headers.cookie) ?? {};
    const kept = { ...(back !== '/' && { back }), ...(again && { again: 'true' }) };
    const query = new URLSearchParams({ problem: error.code, ...kept });
    return seeOther(reply, `/sign-in?${query}`);
  });
}

export function signInByOidc(server: HttpServer, parts: SignInParts): void {
  const { sessions, pending, keys, clock } = parts;
  const rate = server.createRateLimit({ max: MOST_PER_ADDRESS_AND_MINUTE, timeWindow: 60_000 });
  const providerInForce = providers(parts);
  let atOnce = 0;

  async function bounded<T>(request: HttpRequest, ask: () => Promise<T>): Promise<T> {
    const { isAllowed, ...used } = await rate(request);
    if (!isAllowed && 'isExceeded' in used && used.isExceeded) throw tooMany();
    if (atOnce >= MOST_AT_ONCE) throw busy();
    atOnce += 1;
    try {
      return await ask();
    } finally {
      atOnce -= 1;
    }
  }

  server.get(
    BEGIN,
    {
      config: { public: true },
      schema: {
        tags: ['session'],
        summary: 'Begin a sign-in through the identity provider, in a browser',
        description:
          'Sends the browser to the identity provider. The provider sends it back to the callback.',
        querystring: z.object({
          back: described(
            z.string().optional(),
            'The page to show after the sign-in: a path of this server. Another address counts as `/`.',
            '/decisions',
          ),
          again: described(
            z.enum(['true', 'false']).optional(),
            'Whether the person must prove again who they are. Changes that are hard to undo need that.',
            'true',
          ),
        }),
        response: REDIRECT,
      },
    },
    (request, reply) =>
      bounded(request, async () => {
        const { back, again } = request.query;
        const begun = await providerInForce()
          .begin(callbackOf(parts), again === 'true')
          .catch((error) => {
            throw error instanceof ProviderAway ? providerAway(error) : error;
          });
        const kept = { ...begun.secrets, back: ownPath(back), again: again === 'true', beganMs: clock() };
        return seeOther(reply, begun.url, [pending.write(kept, PENDING_LASTS_MS)]);
      }),
  );

  server.get(
    CALLBACK,
    {
      config: { public: true },
      schema: {
        tags: ['session'],
        summary: 'Finish a sign-in through the identity provider',
        description:
          'The identity provider sends the browser here. A successful sign-in sets the cookie of the session, and sends the ' +
          'browser to the page that it asked for. Otherwise the browser gets the page for signing in, with the code of the problem.',
        response: REDIRECT,
      },
    },
    (request, reply) =>
      bounded(request, async () => {
        const nowMs = clock();
        const begun = pending.read(request.headers.cookie);
        if (begun === null || nowMs >= begun.beganMs + PENDING_LASTS_MS) throw expired();
        const callback = new URL(callbackOf(parts));
        callback.search = new URL(request.url, callback).search;
        const asked = { callback, pending: begun, log: request.log };
        const finished = await finishSignIn(providerInForce(), keys, asked);
        const cookies = [sessions.begin(finished, clock()), pending.removed];
        return seeOther(reply, ownPath(begun.back), cookies);
      }),
  );
}

/** Returns a function that returns the provider of the document in force. A new document has a new provider. */
function providers({ oidc, clock }: SignInParts): () => IdentityProvider {
  let current: IdentityProvider | null = null;
  return () => {
    const document = oidc();
    if (document === null) throw notOffered();
    if (current?.document !== document) current = new IdentityProvider(document, clock);
    return current;
  };
}

function callbackOf({ oidc, ownUrl }: SignInParts): string {
  const url = oidc()?.url ?? ownUrl();
  if (url === null) throw noAddress();
  return new URL(CALLBACK, url).href;
}

async function seeOther(reply: HttpReply, to: string, cookies: readonly string[] = []): Promise<HttpReply> {
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply.code(303).header('location', to).send();
}

function notOffered(): HttpProblem {
  return new HttpProblem(404, 'OIDC_NOT_OFFERED', 'this plane has no identity provider', {
    remedy: 'Sign in with an API key, or ask the operator for a file oidc.yaml.',
  });
}

function noAddress(): HttpProblem {
  return new HttpProblem(503, 'OIDC_URL_MISSING', 'the plane does not know the address of its console', {
    remedy: 'Ask the operator to write `url` into oidc.yaml.',
  });
}

function expired(): HttpProblem {
  return new HttpProblem(401, 'SIGN_IN_EXPIRED', 'this sign-in has no cookie, or began too long ago', {
    remedy: 'Sign in again, within ten minutes and at the address that the plane has.',
  });
}

function busy(): HttpProblem {
  return new HttpProblem(503, 'SIGN_IN_BUSY', 'too many people sign in at this moment', {
    remedy: 'Try again in a moment.',
  });
}

function tooMany(): HttpProblem {
  return new HttpProblem(429, 'TOO_MANY_REQUESTS', 'too many sign-ins from this address', {
    remedy: 'Wait a minute, then try again.',
  });
}
