/**
 * The privacy document: the personal data that records must not contain. YAML or JSON. An unknown field is an error.
 */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { PRIVACY_PATTERNS } from './privacy-patterns.ts';
import { tenant } from './scalars.ts';

const PATH =
  /^(?:(?:args|context)(?:\.(?:\*\*|[^.*]+|\*))+|principal\.id|text(?:\.(?:user|agent))?|content|description)$/;

/**
 * A path from the action to a field, with names joined by dots: `args.customer.email`. `*` matches any one name or
 * index, `**` any number of names. A path leads to fields that agents fill in freely, or to the id of the principal.
 */
const fieldPath = z
  .string()
  .max(CAPS.idUnits)
  .regex(PATH, {
    error:
      'must be principal.id, names joined by dots that begin with args or context (args.customer.*), ' +
      'or one of text, text.user, text.agent, content, description',
  });

/** The id of a principal can be replaced but not removed, because budgets are counted for each principal. */
const redactablePath = fieldPath.refine((path) => path !== 'principal.id', {
  error: 'principal.id cannot be redacted, because budgets are counted by it: hash or seal it',
});

/** The path to the id of the person to whom the data belongs. It leads to one place, so it contains no stars. */
const personPath = fieldPath.refine((path) => !path.includes('*'), {
  error: 'must name one field: * is not allowed',
});

/**
 * `redact` removes the value. `hash` replaces equal values by equal hashes. `seal` keeps the value readable until the
 * person is erased.
 */
const redacted = {
  do: described(
    z.literal('redact'),
    'What to do with the value. `redact`: it is removed. `hash`: equal values stay equal. `seal`: it can be read until the person is erased.',
  ),
};
const hashed = {
  do: described(
    z.literal('hash'),
    'What to do with the value. `redact`: it is removed. `hash`: equal values stay equal. `seal`: it can be read until the person is erased.',
  ),
};
const sealed = {
  do: described(
    z.literal('seal'),
    'What to do with the value. `redact`: it is removed. `hash`: equal values stay equal. `seal`: it can be read until the person is erased.',
  ),
  person: described(
    personPath.default('principal.id'),
    'The path of the id of the person that the value belongs to.',
    'principal.id',
  ),
};

const field = z.discriminatedUnion('do', [
  z.strictObject({
    path: described(
      redactablePath,
      'Names from the action downwards, joined by dots. `*`: any one name or index. `**`: any number of names.',
      'args.customer.*',
    ),
    ...redacted,
  }),
  z.strictObject({
    path: described(
      fieldPath,
      'Names from the action downwards, joined by dots. `*`: any one name or index. `**`: any number of names.',
      'args.customer.*',
    ),
    ...hashed,
  }),
  z
    .strictObject({
      path: described(
        fieldPath,
        'Names from the action downwards, joined by dots. `*`: any one name or index. `**`: any number of names.',
        'args.customer.*',
      ),
      ...sealed,
    })
    .refine(isOfPrincipal, {
      error: 'the pseudonym of principal.id is always the pseudonym of the principal: name no other person',
      path: ['person'],
    }),
]);

function isOfPrincipal({ path, person }: { path: string; person: string }): boolean {
  return path !== 'principal.id' || person === 'principal.id';
}

/**
 * The maximum number of countries of a rule. Each possible number takes about 20 µs for each country, and a record may
 * contain many numbers.
 */
const MAX_COUNTRIES = 5;
const onPattern = {
  pattern: described(z.enum(PRIVACY_PATTERNS), 'The kind of personal data to find in all texts.'),
  countries: described(
    z
      .array(z.string().regex(/^[A-Z]{2}$/, { error: 'must be the two letters of a country: DE' }))
      .min(1)
      .max(MAX_COUNTRIES)
      .optional(),
    'The countries with national phone numbers that are recognized, by ISO 3166. Other numbers are recognized only with `+`. Default: none.',
    ['DE', 'CH'],
  ),
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
const MAX_DAYS = 3_660;

export const privacyDocument = z.strictObject({
  version: described(z.literal(1), 'The version of this format: always 1.'),
  fields: described(
    z.array(field).max(MAX_RULES).default([]),
    'Fields whose values are removed, hashed or sealed.',
    [{ path: 'args.customer.*', do: 'redact' }],
  ),
  patterns: described(
    z.array(pattern).max(MAX_RULES).default([]),
    'Kinds of personal data that are removed, hashed or sealed in all texts.',
    [{ pattern: 'email', do: 'redact' }],
  ),
  retention: described(
    z
      .record(
        z.union([z.literal('*'), tenant]),
        z.strictObject({
          keepMonths: described(z.int().min(1).max(MAX_MONTHS), 'How many months the rows are kept.', 24),
        }),
      )
      .default({}),
    'How long the audit keeps the rows of a tenant. `*`: every tenant that is not named. Without this field, the audit keeps all rows.',
    { '*': { keepMonths: 24 } },
  ),
  contextRetention: described(
    z
      .record(
        z.union([z.literal('*'), tenant]),
        z.strictObject({
          keepDays: described(
            z.int().min(1).max(MAX_DAYS),
            'How many days the audit keeps the records of the context builder.',
            7,
          ),
        }),
      )
      .default({}),
    'How long the audit keeps the records of the context builder of a tenant. `*`: every tenant that is not named. Default: 30 days.',
    { '*': { keepDays: 7 } },
  ),
});
export type PrivacyDocument = z.output<typeof privacyDocument>;
