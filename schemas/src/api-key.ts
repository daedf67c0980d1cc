/** What is kept of an API key, wherever it is kept: in a file, or on the control topic. */
import { z } from 'zod';
import { principal } from './action.ts';
import { CAPS, DEFAULTS } from './defaults.ts';
import { described } from './described.ts';
import { issuedContext } from './issued-mandate.ts';
import { pattern } from './pattern.ts';
import { tenant, time } from './scalars.ts';

/**
 * publish: ask for actions, and read what was decided. report: report their outcomes. release: the reports of this key
 * come from a tool server or gateway, which no policy bounds; it does not include report. audit: read the record.
 * operate: kill, revive, adjust budgets, within the key's tenant. operate:all: what reaches beyond one tenant, such as
 * stopping everything; it does not include operate. operate:limits: give back what the limits of the key's tenant count,
 * and nothing else; no role has it. author: change the agents, policies and rules of the key's tenant. persons: read
 * sealed data of its people, and forget people. admin: issue, list and revoke the keys of the people who work with the
 * tenant; a key with admin can so give itself any role.
 */
export const API_SCOPES = [
  'publish',
  'report',
  'release',
  'audit',
  'operate',
  'operate:all',
  'operate:limits',
  'author',
  'persons',
  'admin',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/**
 * The scopes that an agent's own key may have on the control topic: `report` for its own reports, `release` for reports
 * of others.
 */
export const AGENT_SCOPES = [
  ['publish', 'report'],
  ['publish'],
] as const satisfies readonly (readonly ApiScope[])[];

/**
 * The roles of people, as scopes of the keys that they are issued. No role reaches beyond its tenant. The scopes of a
 * role never change, because keys on the control topic are always checked against them. Other scopes need another role.
 */
export const ROLES = {
  viewer: ['audit'],
  operator: ['audit', 'operate'],
  author: ['audit', 'author'],
  admin: ['audit', 'operate', 'author', 'persons', 'admin'],
  /** No person: a tool server or gateway that settles what agents ran. */
  reporter: ['report', 'release'],
} as const satisfies Record<string, readonly ApiScope[]>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

/** For how long a key of the role lets in, unless it is said; null: until it is revoked. People leave, services do not. */
export function roleLastsMs(role: Role): number | null {
  return role === 'reporter' ? null : DEFAULTS.roleKeyMs;
}

/** A dot would read as the field of a field. */
const PIN_NAME = /^[^.]+$/;

/**
 * What a key fixes of every action that is published with it. The gateway refuses an action that says otherwise and fills in
 * what it leaves out, so these are no claims of the agent.
 */
export const keyPins = z
  .strictObject({
    context: described(
      issuedContext
        .refine((context) => Object.keys(context).every((name) => PIN_NAME.test(name)), {
          error: 'the names of its fields must hold no dot',
        })
        .refine((context) => Object.keys(context).length <= CAPS.pins, {
          error: `must have at most ${CAPS.pins} fields`,
        })
        .optional(),
      'Fields of the context that the key fixes, by name. An action of this key cannot say anything else.',
      { environment: 'prod' },
    ),
    principal: described(
      principal.optional(),
      'The user that the key fixes. A key that fixes no role lets no caller claim a role. Absent: the caller may claim any user.',
    ),
  })
  .refine(({ context = {}, principal }) => Object.keys(context).length > 0 || principal !== undefined, {
    error: 'must pin something: a field of the context, or the principal',
  });
export type KeyPins = z.output<typeof keyPins>;

/** As conditions name them: `context.environment`, `action.principal`. */
export function pinnedFields({ context = {}, principal }: KeyPins = {}): readonly string[] {
  return [
    ...Object.keys(context).map((name) => `context.${name}`),
    ...(principal === undefined ? [] : ['action.principal']),
  ];
}

/** Whether one of the pinned fields is this one, or holds it. */
export function isPinned(claim: string, pinned: readonly string[]): boolean {
  const field = claim.startsWith('action.context.') ? claim.slice('action.'.length) : claim;
  return pinned.some((one) => field === one || field.startsWith(`${one}.`));
}

/**
 * What is kept of a key. Not the key: only its SHA-256, which needs no salt and no slow hash, as the secret is 256
 * random bits. `agents` are globs of the agent ids that a publishing key may speak for; `['*']` is all of them.
 */
export const apiKeyRecord = z.strictObject({
  id: described(
    z.string().regex(/^[0-9A-Za-z]{12}$/),
    'The public id of the key, which is no secret.',
    '1bC2dE3fG4hI',
  ),
  name: described(z.string().min(1).max(200), 'A name for people.', 'ann'),
  tenant: described(tenant, 'The tenant of the key. A request can reach no other tenant.', 'default'),
  scopes: described(z.array(z.enum(API_SCOPES)).min(1), 'What the key may do.', ['audit', 'operate']),
  agents: described(
    z.array(pattern),
    'Patterns of the agents for which the key may publish. `*`: all agents.',
    ['airline-*'],
  ),
  hash: described(
    z.string().regex(/^[0-9a-f]{64}$/),
    'The SHA-256 of the secret, in hex. The secret itself is never stored.',
    '1f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
  ),
  createdAt: described(time, 'When the key was made.'),
  revokedAt: described(time.nullable(), 'When the key was revoked. null: it is not revoked.'),
  pins: described(
    keyPins.optional(),
    'What the key fixes in each action. Only a key that publishes has pins.',
  ),
  expiresAt: described(
    time.optional(),
    'From this time on the key opens nothing. Absent: it does not expire.',
  ),
});
export type ApiKeyRecord = Readonly<z.output<typeof apiKeyRecord>>;
