/**
 * The document `oidc.yaml`: the identity provider through which people sign in, and what its claims allow them. It
 * never contains the secret of the client. It names the environment variable or the file that has the secret.
 */
import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { missingSecret, type ReadSecret, secretSource } from '@mandate/runtime/secret-source';
import { ROLE_NAMES, type Role, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { isSafeUrl } from './safe-url.ts';

const MOST_RULES = 1_000;
const MOST_VALUES = 1_000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** The roles of people. A reporter is a program. */
const PEOPLE = ROLE_NAMES.filter((role) => role !== 'reporter') as [Role, ...Role[]];

const text = z.string().min(1).max(2_000);
const claimName = z.string().min(1).max(200);

const safeUrl = z
  .string()
  .max(255)
  .refine(isSafeUrl, { error: 'must be an address with https, or with http on this machine' });

const value = z.union([z.string().max(1_000), z.boolean(), z.number()]);

/** By claim: the value that it must have, or a list of such values. A claim that is a list must contain one of them. */
const claims = z
  .record(claimName, z.union([value, z.array(value).min(1).max(MOST_VALUES)]))
  .refine((one) => Object.keys(one).length > 0, { error: 'must name a claim' });

const rule = z.union([
  z.strictObject({ claims, tenant: tenant.default('default'), role: z.enum(PEOPLE) }),
  z.strictObject({ claims, refuse: z.literal(true) }),
]);
export type OidcRule = z.output<typeof rule>;

const oidcDocument = z.strictObject({
  version: z.literal(1),
  issuer: safeUrl,
  clientId: text,
  /** Absent for a client without a secret. PKCE protects the sign-in either way. */
  clientSecret: secretSource.optional(),
  /** How the secret is sent. Default: what the provider says it accepts. */
  clientAuth: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope without spaces'))
    .max(100)
    .default([]),
  /** The text of the button. */
  label: z.string().min(1).max(100).default('Sign in with OIDC'),
  /** The address at which browsers open the console. Default: the address at which the plane listens. */
  url: safeUrl
    .refine((url) => new URL(url).href === `${new URL(url).origin}/`, { error: 'must have no path' })
    .optional(),
  /** The claim that names the key of a person, for people who read the audit. */
  name: claimName.default('sub'),
  /** Whether the claims of the provider's endpoint `userinfo` count too. */
  userinfo: z.boolean().default(false),
  /** How long each answer of the provider may take. */
  timeoutMs: z.int().min(1).max(60_000).default(DEFAULT_TIMEOUT_MS),
  /** The first rule that fits decides. If no rule fits, the sign-in is refused. */
  rules: z.array(rule).min(1).max(MOST_RULES),
});
type WrittenOidc = z.output<typeof oidcDocument>;

export type OidcDocument = Omit<WrittenOidc, 'clientSecret'> & {
  /** Null for a client without a secret. */
  clientSecret: string | null;
};

type LoadedOidc = { ok: true; document: OidcDocument } | { ok: false; faults: readonly DocumentFault[] };

export function loadOidc(source: DocumentSource, readSecret: ReadSecret): LoadedOidc {
  const found: OidcDocument[] = [];
  const faults = readDocuments(
    source,
    { schema: oidcDocument, what: 'document of an identity provider' },
    ({ clientSecret: from, ...written }, say) => {
      if (found.length > 0) say([], 'the file holds more than one document');
      const clientSecret = from === undefined ? null : readSecret(from);
      if (from !== undefined && clientSecret === null) say(['clientSecret'], missingSecret(from));
      found.push({ ...written, clientSecret });
    },
  );
  const [document] = found;
  if (faults.length > 0 || document === undefined) return { ok: false, faults };
  return { ok: true, document };
}
