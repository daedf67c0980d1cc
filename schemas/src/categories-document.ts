/** The categories of memories (`config.yaml`): what may be done in each category. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { lengthInCharacters } from './manifest-fields.ts';
import { parsedJson } from './scalars.ts';
import { withCode } from './shape-fault.ts';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 100;
const NAME_RULE = `must be small letters and digits with single dashes between them, at most ${LONGEST_NAME} characters`;

/**
 * A map by the names of stores or categories, which are parts of paths. The names are checked beside the values. So a
 * bad name hides no fault below it.
 */
function byName<Value extends z.ZodType>(value: Value) {
  const checkNames = z.core._check<unknown>(
    ({ value: map, issues }) => {
      if (typeof map !== 'object' || map === null || Array.isArray(map)) return;
      for (const name of Object.keys(map)) {
        if (SLUG.test(name) && name.length <= LONGEST_NAME) continue;
        issues.push({
          code: 'custom',
          input: name,
          path: [name],
          message: NAME_RULE,
          ...withCode('NAME_INVALID'),
        });
      }
    },
    { when: () => true },
  );
  return z
    .record(z.string(), value)
    .check(checkNames)
    .meta({ propertyNames: { type: 'string', pattern: SLUG.source, maxLength: LONGEST_NAME } });
}

/** A field that must not be there. Its fault says what to write instead. */
function refusedField(code: string, message: string, description: string) {
  return described(
    z
      .unknown()
      .optional()
      .check(({ value, issues }) => {
        if (value !== undefined) issues.push({ code: 'custom', input: value, message, ...withCode(code) });
      })
      .meta({ not: {} }),
    description,
  );
}

const MOST_DAYS = 36_500;
const MOST_CHARACTERS = 10_000_000;

/** A category has no way to say "no limit" below a category with a limit. It can only set a larger limit. */
function wholeNumberOf(unit: string, most: number, example: number): string {
  return `must be a whole number of ${unit} from 1 to ${most}, such as ${example}; to lift the limit, raise it`;
}

const permissionsOfCategory = z.strictObject({
  create: described(z.boolean().optional(), 'Whether memories may be created. Default: true.', false),
  update: described(z.boolean().optional(), 'Whether memories may be changed. Default: true.', false),
  delete: described(z.boolean().optional(), 'Whether memories may be deleted. Default: true.', false),
  read: refusedField(
    'READ_PERMISSION',
    'is no permission: put what must not be read into another store',
    'Must be absent: what must not be read belongs into another store.',
  ),
});

export const categoryPolicies = z.strictObject({
  defaultTtl: described(
    z
      .int({ error: wholeNumberOf('days', MOST_DAYS, 7) })
      .min(1)
      .max(MOST_DAYS)
      .optional(),
    'The longest life of a memory, in days. It is also the life of a memory that asks for none. Default: no limit.',
    7,
  ),
  maxContentLength: described(
    z
      .int({ error: wholeNumberOf('characters', MOST_CHARACTERS, 5_000) })
      .min(1)
      .max(MOST_CHARACTERS)
      .optional(),
    'The most characters of a memory. Default: no limit.',
    5_000,
  ),
  permissions: described(permissionsOfCategory.optional(), 'What may be done with memories.', {
    delete: false,
  }),
  subcategoryCreation: described(
    z.boolean().optional(),
    'Whether categories may be made directly below. Default: true.',
    false,
  ),
});
export type CategoryPolicies = z.infer<typeof categoryPolicies>;

const policies = described(
  categoryPolicies.optional(),
  'What the category says. Each field that it does not say is that of the nearest category above.',
  { defaultTtl: 7 },
);

export type CategoryDocument = {
  description?: string | undefined;
  policies?: CategoryPolicies | undefined;
  subcategories?: { [name: string]: CategoryDocument } | undefined;
};

const category: z.ZodType<CategoryDocument> = z
  .strictObject({
    description: described(
      z
        .string()
        .trim()
        .refine((text) => lengthInCharacters(text) <= CAPS.descriptionCharacters, {
          error: `must have at most ${CAPS.descriptionCharacters} characters`,
        })
        .optional(),
      'A description for people.',
      'What was done each day',
    ),
    policies,
    subcategories: described(z.lazy(() => byName(category)).optional(), 'The categories below, by name.', {
      pinned: { policies: { defaultTtl: 30 } },
    }),
  })
  .meta({ id: 'category' });

const categories = described(byName(category).optional(), 'The categories at the top, by name.', {
  standup: { policies: { defaultTtl: 7 } },
});

const store = z.strictObject({
  kind: described(z.string().min(1), 'The kind of the store. It changes no decision.', 'filesystem'),
  properties: described(
    z.record(z.string(), parsedJson).optional(),
    'Settings of the store. They change no decision.',
    { path: '/srv/memories' },
  ),
  policies,
  categories,
  categoryMode: refusedField(
    'CATEGORY_MODE',
    'is replaced by subcategoryCreation: false: in the policies of the store for strict, below it for single categories',
    'Must be absent: `policies.subcategoryCreation: false` replaces it.',
  ),
});

export const categoriesDocument = z
  .strictObject({
    stores: described(byName(store).check(checkSize), 'The stores, by name.', {
      notes: { kind: 'filesystem', categories: { standup: { policies: { defaultTtl: 7 } } } },
    }),
  })
  .meta({ title: 'categories', description: 'What may be done with memories, by store and category.' });
export type CategoriesDocument = z.infer<typeof categoriesDocument>;

const storeSection = z.strictObject({ policies, categories });

/** The stores and their categories in a policy, without what changes no decision. */
export const categoriesSection = byName(storeSection).check(checkSize);
export type CategoriesSection = z.infer<typeof categoriesSection>;

function checkSize({ value: stores, issues }: z.core.ParsePayload<CategoriesSection>): void {
  let count = 0;
  const say = (path: readonly string[], message: string) =>
    issues.push({ code: 'custom', input: stores, path: [...path], message });
  const visit = (
    categories: CategoryDocument['subcategories'] = {},
    at: readonly string[],
    above: readonly string[],
  ) => {
    for (const [name, { subcategories }] of Object.entries(categories)) {
      count += 1;
      const field = [...at, name];
      const names = [...above, name];
      const length = `/${names.join('/')}`.length;
      if (names.length > CAPS.categoryDepth)
        say(field, `is more than ${CAPS.categoryDepth} categories deep: put it into a category further up`);
      else if (length > CAPS.idUnits)
        say(
          field,
          `has a path of ${length} characters, at most ${CAPS.idUnits} are allowed: shorten the names`,
        );
      else visit(subcategories, [...field, 'subcategories'], names);
    }
  };
  for (const [name, { categories }] of Object.entries(stores)) {
    count += 1;
    visit(categories, [name, 'categories'], []);
  }
  if (count <= CAPS.categories) return;
  say(
    [],
    `must have at most ${CAPS.categories} stores and categories: leave out those without policies of their own`,
  );
}
