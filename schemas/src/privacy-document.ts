/** What of people is kept from the record, as people write it: YAML or JSON. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { tenant } from './scalars.ts';

/**
 * Names from the action downwards, joined by dots: `args.customer.email`. `*` stands for any one name or index, `**` for
 * any number of them. Only what agents fill in freely can be named, and who it is for.
 */
const fieldPath = z
  .string()
  .max(CAPS.idUnits)
  .regex(/^(?:(?:args|context)(?:\.(?:\*\*|[^.*]+|\*))+|principal\.id)$/, {
    error: 'must be principal.id, or names joined by dots that begin with args or context: args.customer.*',
  });

/** Budgets of a principal count by the id, so it can get another name and cannot go. */
const redactablePath = fieldPath.refine((path) => path !== 'principal.id', {
  error: 'principal.id cannot be redacted, as budgets count by it: hash or seal it',
});

/** The path of the id of the person that the data belongs to: one place, so without stars. */
const personPath = fieldPath.refine((path) => !path.includes('*'), {
  error: 'must name one place: no star',
});

/** What is found in texts, wherever it stands in them. */
export const PRIVACY_PATTERNS = [
  'email',
  'phone',
  'credit_card',
  'iban',
  'ip_address',
  'us_ssn',
  'secret',
] as const;
export type PrivacyPattern = (typeof PRIVACY_PATTERNS)[number];

/** redact: gone. hash: equal values can still be told. seal: readable until the person is erased. */
const redacted = { do: z.literal('redact') };
const hashed = { do: z.literal('hash') };
const sealed = { do: z.literal('seal'), person: personPath.default('principal.id') };

const field = z.discriminatedUnion('do', [
  z.strictObject({ path: redactablePath, ...redacted }),
  z.strictObject({ path: fieldPath, ...hashed }),
  z.strictObject({ path: fieldPath, ...sealed }).refine(isOfPrincipal, {
    error: 'the pseudonym of principal.id is that of the principal: name no other person',
    path: ['person'],
  }),
]);

function isOfPrincipal({ path, person }: { path: string; person: string }): boolean {
  return path !== 'principal.id' || person === 'principal.id';
}

/** Each number that may be one takes some 20 µs a country, and a record may be full of them. */
const MAX_COUNTRIES = 5;
const onPattern = {
  pattern: z.enum(PRIVACY_PATTERNS),
  /**
   * The countries with national phone numbers that are recognized, by ISO 3166. Other numbers are recognized only with
   * `+`.
   */
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, { error: 'must be the two letters of a country: DE' }))
    .min(1)
    .max(MAX_COUNTRIES)
    .optional(),
};
const pattern = z
  .discriminatedUnion('do', [
    z.strictObject({ ...onPattern, ...redacted }),
    z.strictObject({ ...onPattern, ...hashed }),
    z.strictObject({ ...onPattern, ...sealed }),
  ])
  .refine((rule) => rule.countries === undefined || rule.pattern === 'phone', {
    error: 'only the pattern phone has countries',
    path: ['countries'],
  });

const MAX_RULES = 1_000;
const MAX_MONTHS = 1_200;

export const privacyDocument = z.strictObject({
  version: z.literal(1),
  fields: z.array(field).max(MAX_RULES).default([]),
  patterns: z.array(pattern).max(MAX_RULES).default([]),
  /** How long the audit keeps a tenant's rows; `*` is every tenant that is not named. Without it, always. */
  retention: z
    .record(z.union([z.literal('*'), tenant]), z.strictObject({ keepMonths: z.int().min(1).max(MAX_MONTHS) }))
    .default({}),
});
export type PrivacyDocument = z.output<typeof privacyDocument>;
