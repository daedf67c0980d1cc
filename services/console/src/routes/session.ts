/** /v1/session: turns an API key into the session of a browser, says who is signed in, and ends the session. */
import type { Clock } from '@mandate/runtime';
import { API_SCOPES, described, ROLE_NAMES, ROLES, type Role, tenant, time } from '@mandate/schemas';
import {
  type BrowserSessions,
  callerOf,
  credentialOf,
  HttpProblem,
  type HttpRequest,
  type HttpServer,
  untilMs,
} from '@mandate/server';
import { z } from 'zod';

const KEY = { id: '1bC2dE3fG4hI', name: 'ann' };

const signedIn = z.object({
  keyId: described(z.string(), 'The public id of the API key.', KEY.id),
  name: described(z.string(), 'The name of the key.', KEY.name),
  tenant: described(tenant, 'The tenant of the key.', 'default'),
  role: described(
    z.enum(ROLE_NAMES).nullable(),
    'The role of the key. Null if the key has scopes and no role.',
    'operator',
  ),
  scopes: described(z.array(z.enum(API_SCOPES)), 'What the key may do.', ['audit', 'operate']),
  withheld: described(
    z.array(z.enum(API_SCOPES)),
    'Scopes of the key that do not count now, because the tenant is closed.',
    [],
  ),
  expiresAt: described(time.nullable(), 'When the key expires. Null: it is valid until it is revoked.', null),
  person: described(
    z.string().nullable(),
    'The person, as the identity provider names them. Null if the API key itself was shown.',
    null,
  ),
  sessionUntil: described(
    time.nullable(),
    'When the session of the browser ends if it is not used. Null if the key came in a header.',
    '2026-11-29T09:00:00.000Z',
  ),
});

/** Who calls, and what they may do. */
export type SignedIn = z.output<typeof signedIn>;

const refusals = { 401: 'The key is missing, unknown, revoked or expired.' };

export function session(
  server: HttpServer,
  { sessions, clock }: { sessions: BrowserSessions; clock: Clock },
): void {
  const config = { scope: API_SCOPES, refusals };
  server.post(
    '/v1/session',
    {
      config,
      schema: {
        tags: ['session'],
        summary: 'Sign in: turn an API key into a session of this browser',
        description:
          'The key comes in the header `authorization`. The answer sets a cookie that contains the sealed key, and ' +
          'that no script can read. The session ends 30 minutes after its last request, 8 hours after the sign-in, ' +
          'or when the key is revoked. Browsers keep the cookie only over TLS, or on the machine itself.',
        response: { 201: signedIn },
      },
    },
    (request, reply) => {
      // A sign-in needs the key itself. If the cookie of a session were enough, a session could renew itself without an
      // end.
      if (request.browserSession !== null) throw keyNotShown();
      const nowMs = clock();
      const began = { key: credentialOf(request) ?? '', person: null, provenMs: nowMs };
      reply.code(201).header('set-cookie', sessions.begin(began, nowMs));
      return who(request, untilMs({ beganMs: nowMs, usedMs: nowMs }));
    },
  );
  server.get(
    '/v1/session',
    {
      config,
      schema: {
        tags: ['session'],
        summary: 'Show who calls: the key, its tenant, its role and what it may do',
        description: 'Answers for a key in a header too. The answer never contains the key itself.',
        response: { 200: signedIn },
      },
    },
    (request) => {
      const { browserSession: current } = request;
      return who(request, current === null ? null : untilMs({ ...current, usedMs: clock() }));
    },
  );
  server.delete(
    '/v1/session',
    {
      config,
      schema: {
        tags: ['session'],
        summary: 'Sign out: remove the cookie from this browser',
        description: 'Copies of the cookie stay valid until they end. Revoke the key to end them too.',
        response: { 200: z.object({ ended: described(z.literal(true), 'The cookie is removed.') }) },
      },
    },
    (_request, reply) => {
      reply.header('set-cookie', sessions.ended);
      return { ended: true as const };
    },
  );
}

function keyNotShown(): HttpProblem {
  return new HttpProblem(401, 'UNAUTHENTICATED', 'a sign-in needs the API key in a header', {
    remedy: 'Send it in the header authorization: Bearer sk-mdt_…',
  });
}

/** The record of a key has the scopes of its role, and not the name. No two roles have the same scopes. */
function roleOf(scopes: readonly string[]): Role | null {
  const sorted = scopes.toSorted().join();
  return ROLE_NAMES.find((role) => ROLES[role].toSorted().join() === sorted) ?? null;
}

function who(request: HttpRequest, sessionUntilMs: number | null): z.input<typeof signedIn> {
  const { id, name, tenant, scopes, expiresAt = null } = callerOf(request);
  return {
    ...{ keyId: id, name, tenant, role: roleOf(scopes), scopes, expiresAt },
    withheld: [...(request.principalKey?.withheld ?? [])],
    person: request.browserSession?.person ?? null,
    sessionUntil: sessionUntilMs === null ? null : new Date(sessionUntilMs).toISOString(),
  };
}
