/**
 * A session of a browser: an API key in a cookie that no script can read. The cookie is sealed and contains the whole
 * session, so the server stores nothing. The key is looked up at each request, as every key is. So a revoked key ends
 * its sessions.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SealedCookie } from './sealed-cookie.ts';

/** A session ends this long after the sign-in. */
const LONGEST_MS = 8 * 3_600_000;
/** A session ends this long after its last request. */
const IDLE_MS = 30 * 60_000;
/** A cookie with a newer time of use is sent at most this often. */
const RENEWED_EVERY_MS = 60_000;
/** For this long after a person proved who they are, a session may do what is grave. */
const FRESH_MS = 10 * 60_000;

/** An issuer has at most 255 characters, and so has the name of a person at the issuer. */
const LONGEST_PERSON = 511;

const content = z.strictObject({
  key: z.string().max(256),
  /** Null: signed in with the key itself. Else: the person, as the identity provider names them. */
  person: z.string().max(LONGEST_PERSON).nullable(),
  beganMs: z.int(),
  /**
   * When the person proved who they are: with the key, or to the identity provider. That may be long before the
   * session. Null if the identity provider does not say.
   */
  provenMs: z.int().nullable(),
  usedMs: z.int(),
});

export type BrowserSession = Readonly<z.output<typeof content>>;

/** Seals sessions into cookies and opens them again. */
export class BrowserSessions {
  readonly #cookie: SealedCookie<BrowserSession>;

  /** @param secret the secret of the data folder. Every server of a plane must have the same secret */
  constructor(secret: string) {
    const what = {
      name: '__Host-mandate',
      sameSite: 'Strict',
      purpose: 'mandate browser session 1',
    } as const;
    this.#cookie = new SealedCookie({ ...what, content }, secret);
  }

  /** The header `set-cookie` that ends a session in the browser. */
  get ended(): string {
    return this.#cookie.removed;
  }

  /** Returns the header `set-cookie` of a new session. */
  begin(signedIn: Pick<BrowserSession, 'key' | 'person' | 'provenMs'>, nowMs: number): string {
    return this.#written({ ...signedIn, beganMs: nowMs, usedMs: nowMs }, nowMs);
  }

  /** Returns the session of the header `cookie`. Null if there is none, or if it has ended. */
  read(cookies: string | undefined, nowMs: number): BrowserSession | null {
    const session = this.#cookie.read(cookies);
    return session === null || nowMs >= untilMs(session) ? null : session;
  }

  /** Returns the header `set-cookie` that notes the use of the session. Null if the newest note is recent. */
  renewed(session: BrowserSession, nowMs: number): string | null {
    if (nowMs - session.usedMs < RENEWED_EVERY_MS) return null;
    return this.#written({ ...session, usedMs: nowMs }, nowMs);
  }

  #written(session: BrowserSession, nowMs: number): string {
    return this.#cookie.write(session, untilMs(session) - nowMs);
  }
}

/** Returns when the session ends if no other request uses it, in milliseconds since 1970. */
export function untilMs({ beganMs, usedMs }: Pick<BrowserSession, 'beganMs' | 'usedMs'>): number {
  return Math.min(beganMs + LONGEST_MS, usedMs + IDLE_MS);
}

/** True if the person proved a short time ago who they are. */
export function isFresh({ provenMs }: BrowserSession, nowMs: number): boolean {
  return provenMs !== null && nowMs - provenMs < FRESH_MS;
}

/**
 * True if a page of this server sent the request, and no page of another site. Browsers say so in `sec-fetch-site`.
 * They leave it out without TLS, except on the machine itself. Then the header `origin` must name this host.
 */
export function isOfOwnPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
