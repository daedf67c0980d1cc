/**
 * /v1/keys: keys of people who work with the tenant, each with a role. Keys with which agents publish are at
 * /v1/agents/:id/keys.
 */

import { apiKeyRecord, described, id, ROLE_NAMES, roleLastsMs, time } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer, issueRoleKey } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, carryOut, repeatableId } from '../writes/carry-out.ts';
import { dryRunOf, type WouldChange } from '../writes/dry-run.ts';
import { adminRevoked } from '../writes/refused-change.ts';
import { revokeKey } from '../writes/revoke-key.ts';
import { pagesById } from './pages.ts';
import { expiresAt, expiresInMs, IN_THE_WAY, idParams, NOT_THERE, revision, whyQuery } from './shapes.ts';
import { wouldChange } from './would-change.ts';

const tags = ['keys'];
const scope = 'admin';
/** The name of the change in its request. It distinguishes several changes that one request makes. */
const PART = 'key of a role';

const role = z.enum(ROLE_NAMES);
const name = apiKeyRecord.shape.name;
const body = z
  .strictObject({
    name: described(name, 'The person or the service that gets the key. The record always keeps it.', 'ann'),
    role: described(
      role,
      'The role of the key. `viewer`: reads the audit and the documents. `approver`: a viewer that may also grant and deny approvals. `operator`: a viewer that also kills, revives, approves ' +
        'and adjusts budgets. `author`: a viewer that may also change agents, policies and rules. `admin`: has the ' +
        'rights of all these roles, and also forgets people and issues keys. `reporter`: a tool server that reports ' +
        'outcomes.',
      'operator',
    ),
    expiresInMs: described(
      expiresInMs.optional(),
      'How long the key is valid, in milliseconds. null: until it is revoked. Default: 90 days, and for a `reporter` until it is revoked.',
      7_776_000_000,
    ),
  })
  .meta({ examples: [{ name: 'ann', role: 'operator' }] });
type Wanted = z.output<typeof body>;

const shown = z.object({
  revision,
  id: described(id, 'The public id of the key.', '1bC2dE3fG4hI'),
  name: described(name, 'The person or the service that has the key.', 'ann'),
  role: described(role, 'The role of the key.'),
  createdAt: described(time, 'When the key was made.'),
  expiresAt,
});
export type RoleKeyShown = z.output<typeof shown>;

const issued = shown.extend({
  key: described(
    z.string().nullable(),
    'The key itself. It is shown only here and stored nowhere. null: the same request was answered before, under ' +
      'its Idempotency-Key. Revoke that key, and issue another.',
    'sk-mdt_…',
  ),
});
const pages = pagesById('keys', shown);

type RoleKeys = ReturnType<Control['followed']['tenant']>['roleKeys'];
type Kept = RoleKeys extends ReadonlyMap<string, infer One> ? One : never;

function shownOf({ revision, document: { role, key } }: Kept): z.output<typeof shown> {
  const { id, name, createdAt, expiresAt = null } = key;
  return { revision, id, name, role, createdAt, expiresAt };
}

export function readRoleKeys(server: HttpServer, { followed }: Control): void {
  server.get(
    '/v1/keys',
    {
      config: { scope },
      schema: {
        tags,
        summary: 'List the valid keys of people, by id',
        querystring: pages.querystring,
        response: { 200: pages.response },
      },
    },
    (request) => {
      const { roleKeys } = followed.tenant(callerOf(request).tenant);
      return pages.page(roleKeys, request.query, shownOf);
    },
  );
}

export function writeRoleKeys(server: HttpServer, control: Control): void {
  server.post(
    '/v1/keys',
    {
      config: { scope, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Issue a person a key with the scopes of a role, in this tenant',
        description: 'Only this answer contains the key. Mandate stores its hash.',
        querystring: whyQuery,
        body,
        response: { 200: wouldChange, 201: issued },
      },
    },
    async (request, reply) => {
      const answer = await issue(control, request, request.body);
      reply.code('dryRun' in answer ? 200 : 201);
      return answer;
    },
  );

  server.delete(
    '/v1/keys/:id',
    {
      config: { scope, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Revoke the key of a person: the key is refused from then on, and its open streams end',
        params: idParams,
        querystring: whyQuery,
        response: { 200: z.union([wouldChange, z.object({ revision })]) },
      },
    },
    async (request, reply) => {
      const what = { event: 'role.revoked' as const, keyId: request.params.id };
      const asked = await asking(control, request);
      return revokeKey(control, request, reply, { ...what, ...asked });
    },
  );
}

async function issue(
  control: Control,
  request: Asked,
  { name, role, expiresInMs: lastsMs = roleLastsMs(role) }: Wanted,
): Promise<z.output<typeof issued> | WouldChange> {
  const { tenant } = callerOf(request);
  const { key, record } = issueRoleKey({ tenant, role, name, lastsMs }, control.clock);
  const what = { event: 'role.granted' as const, role, key: record, ...(await asking(control, request)) };
  try {
    const dry = await dryRunOf(control, request, what, { expects: 0, part: PART });
    if (dry !== null) return dry;
    const { revision } = await carryOut(control, request, null, what, { expects: 0, part: PART });
    return { ...shownOf({ revision, document: { role, key: record, changeId: '' } }), key };
  } catch (error) {
    // If an earlier try of this request issued a key, that key is returned without its text. Keys are random, so this
    // try made another key.
    const before =
      !request.query.dryRun &&
      error instanceof HttpProblem &&
      error.code === 'ID_REUSED' &&
      issuedBefore(control, request);
    if (!before || before.name !== name || before.role !== role || lastsOf(before) !== lastsMs) throw error;
    return { ...before, key: null };
  }
}

function lastsOf({ createdAt, expiresAt }: z.output<typeof shown>): number | null {
  return expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(createdAt);
}

/**
 * Returns the key that an earlier try of the same request issued. Undefined if there is none, or if it was revoked
 * since.
 */
function issuedBefore(control: Control, request: Asked): z.output<typeof shown> | undefined {
  const changeId = repeatableId(request, PART);
  const { roleKeys } = control.followed.tenant(callerOf(request).tenant);
  const before = [...roleKeys.values()].find(({ document }) => document.changeId === changeId);
  return before && shownOf(before);
}

/**
 * Returns the id of the request's key if this key is on the control topic. The id of a key in a file is left out.
 * Throws if the key was revoked after the request was accepted.
 */
async function asking({ followed }: Control, request: Asked): Promise<{ byKey?: string }> {
  const { id, tenant } = callerOf(request);
  if (followed.tenant(tenant).roleKeys.has(id)) return { byKey: id };
  if (await request.keyStillHolds()) return {};
  throw adminRevoked();
}
