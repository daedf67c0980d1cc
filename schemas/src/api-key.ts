/** The stored part of an API key, in a file or on the control topic. */
import { z } from 'zod';
import { principal } from './action.ts';
import { CAPS, DEFAULTS } from './defaults.ts';
import { described } from './described.ts';
import { grantContext } from './grant.ts';
import { pattern } from './pattern.ts';
import { tenant, time } from './scalars.ts';

/**
 * The scopes of an API key.
 * - `publish`: ask for actions, and read decisions.
 * - `report`: report outcomes.
 * - `release`: for the key of a tool server or gateway. No policy limits how much its reports give back. It does not
 * include `report`.
 * - `record`: record decisions that an SDK made itself. Such a record changes no budget of the plane.
 * - `audit`: read the audit.
 * - `approve`: grant and deny approvals in the tenant of the key.
 * - `operate`: kill, revive, approve and adjust budgets in the tenant of the key.
 * - `operate:all`: commands for more than one tenant, such as a kill of everything. It does not include `operate`.
 * - `operate:limits`: give back what the tenant limits of the key's tenant count. No role has it.
 * - `author`: change agents, policies and rules of the tenant.
 * - `persons`: read sealed data of people, and forget people.
 * - `admin`: issue, list and revoke the keys of people. A key with `admin` can give itself any role.
 */
export const API_SCOPES = [
  'publish',
  'report',
  'release',
  'record',
  'audit',
  'approve',
  'operate',
  'operate:all',
  'operate:limits',
  'author',
  'persons',
  'admin',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/**
 * The scopes that an agent's own key on the control topic may have. With `report` the agent reports its outcomes.
 * Without `report`, another key must report them.
 */
export const AGENT_SCOPES = [
  ['publish', 'report'],
  ['publish'],
] as const satisfies readonly (readonly ApiScope[])[];

/**
 * The roles of people, and the scopes of their keys. Every role is limited to its tenant. The scopes of a role never
 * change, because every key on the control topic is checked against its role. Other scopes need another role.
 */
export const ROLES = {
  viewer: ['audit'],
  /** A person who answers approvals, and can stop nothing. */
  approver: ['audit', 'approve'],
  operator: ['audit', 'operate'],
  author: ['audit', 'author'],
  admin: ['audit', 'operate', 'author', 'persons', 'admin'],
  /** A role for a tool server or gateway that settles the actions of agents. Not for people. */
  reporter: ['report', 'release'],
} as const satisfies Record<string, readonly ApiScope[]>;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

/**
 * Returns how long a key of the role is valid by default, in milliseconds. Null if it is valid until it is revoked.
 * Keys of people expire, because people leave; services do not.
 */
export function roleLastsMs(role: Role): number | null {
  return role === 'reporter' ? null : DEFAULTS.roleKeyMs;
}

/** Matches names without a dot. A name with a dot would look like a field inside a field. */
const PIN_NAME = /^[^.]+$/;

/**
 * The fields that a key fixes in every action published with it. The gateway refuses an action with other values in
 * these fields, and fills in fields that the action leaves out. So these fields are not claims of the agent.
 */
export const keyPins = z
  .strictObject({
    context: described(
      grantContext
        .refine((context) => Object.keys(context).every((name) => PIN_NAME.test(name)), {
          error: 'the names of its fields must not contain a dot',
        })
        .refine((context) => Object.keys(context).length <= CAPS.pins, {
          error: `must have at most ${CAPS.pins} fields`,
        })
        .optional(),
      'Fields of the context that the key fixes, by name. An action of this key cannot have other values.',
      { environment: 'prod' },
    ),
    principal: described(
      principal.optional(),
      'The user that the key fixes. A key that fixes no role lets no caller claim a role. If absent, the caller may claim any user.',
    ),
  })
  .refine(({ context = {}, principal }) => Object.keys(context).length > 0 || principal !== undefined, {
    error: 'must pin something: a field of the context, or the principal',
  });
export type KeyPins = z.output<typeof keyPins>;

/** Returns the names of the pinned fields, as conditions write them: `context.environment`, `action.principal`. */
export function pinnedFields({ context = {}, principal }: KeyPins = {}): readonly string[] {
  return [
    ...Object.keys(context).map((name) => `context.${name}`),
    ...(principal === undefined ? [] : ['action.principal']),
  ];
}

/** True if the claim is a pinned field, or a part of a pinned field. */
export function isPinned(claim: string, pinned: readonly string[]): boolean {
  const field = claim.startsWith('action.context.') ? claim.slice('action.'.length) : claim;
  return pinned.some((one) => field === one || field.startsWith(`${one}.`));
}

/**
 * The stored part of an API key. The key itself is not stored, only its SHA-256. The hash needs no salt and need not
 * be slow, because the secret is 256 random bits. `agents` contains patterns of the agents for which the key may
 * publish. `['*']` means all agents.
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
    'The values that the key fixes in each action. Only a key that publishes has pins.',
  ),
  expiresAt: described(
    time.optional(),
    'The key is refused from this time on. Absent if the key does not expire.',
  ),
});
export type ApiKeyRecord = Readonly<z.output<typeof apiKeyRecord>>;
