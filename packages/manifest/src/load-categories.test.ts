import { CAPS } from '@mandate/schemas';
import { categoriesSection } from '@mandate/schemas/manifest';
import { describe, expect, test } from 'vitest';
import { compiledFaults } from './compile/compiled-faults.ts';
import { compileCategories, loadCategories } from './load-categories.ts';

function faultsOf(text: string): string[] {
  const { errors, warnings } = loadCategories(text);
  return [...errors, ...warnings].map(({ code, path }) => `${code} ${path}`);
}

function messageOf(text: string): string | undefined {
  const { errors, warnings } = loadCategories(text);
  return [...errors, ...warnings][0]?.message;
}

const inStore = (fields: string) => `stores: { s: { kind: filesystem, ${fields} } }`;

describe('faults of a config of categories', () => {
  test('a bad name does not hide faults in the category with this name', () => {
    const text = 'stores: { My_Store: { categories: { A: { policies: { defaultTtl: 0 } } } } }';
    expect(faultsOf(text).toSorted()).toEqual([
      'FIELD_MISSING stores.My_Store.kind',
      'NAME_INVALID stores.My_Store',
      'NAME_INVALID stores.My_Store.categories.A',
      'VALUE_INVALID stores.My_Store.categories.A.policies.defaultTtl',
    ]);
  });

  test('a list in the place of a map is one fault, and its indexes are not reported as bad names', () => {
    expect(faultsOf(inStore('categories: [a, b]'))).toEqual(['VALUE_INVALID stores.s.categories']);
  });

  test('if a file is not valid YAML, no faults of its fields are reported', () => {
    expect(faultsOf(inStore('categories: { a: {}, a: { b: 1 } }'))).toEqual([
      'KEY_TWICE stores.s.categories.a',
    ]);
  });

  test.each([
    ['policies: { defaultTtl: 0 }', 'raise it'],
    ['policies: { defaultTtl: 36501 }', 'raise it'],
    ['policies: { maxContentLength: 10000001 }', 'raise it'],
    ['policies: { permissions: { read: false } }', 'another store'],
    ['categoryMode: strict', 'subcategoryCreation: false'],
    ['kid: a', 'known here: kind, properties, policies, categories'],
    ['policies: { permissions: { modify: false } }', 'known here: create, update, delete'],
    ['policies: { defaultTtl: 7 }, categories: { a: { policies: { defaultTtl: 8 } } }', 'says 7'],
  ])('says what to do about { %s }', (fields, says) => {
    expect(messageOf(inStore(fields))).toContain(says);
  });

  test('a field that is refused is not listed among the known fields', () => {
    expect(messageOf(inStore('kid: a'))).not.toContain('categoryMode');
    expect(messageOf(inStore('policies: { permissions: { modify: false } }'))).not.toContain('read');
  });
});

/** Returns the first of a chain of categories, each inside the one before. The last category has policies. */
function deep(levels: number): string {
  let category = '{ policies: { permissions: { delete: false } } }';
  for (let level = levels; level > 1; level--) category = `{ subcategories: { c${level}: ${category} } }`;
  return category;
}

/** Returns a store with this number of categories. */
const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, {}]));

describe('large and hostile configs', () => {
  test('at most 10,000 stores and categories are accepted', () => {
    const config = (count: number) =>
      JSON.stringify({ stores: { s: { kind: 'filesystem', categories: wide(count) } } });
    expect(loadCategories(config(CAPS.categories - 1)).ok).toBe(true);
    expect(faultsOf(config(CAPS.categories))).toEqual(['VALUE_INVALID stores']);
  });

  test('at most 24 levels of categories are accepted, and the fault is at the first category that is too deep', () => {
    const fields = inStore(`categories: { c1: ${deep(CAPS.categoryDepth)} }`);
    expect(loadCategories(fields).ok).toBe(true);
    const { errors } = loadCategories(`stores:
  s:
    kind: filesystem
    categories: { c1: ${deep(CAPS.categoryDepth + 3)} }
`);
    const path = ['stores.s.categories.c1', ...Array.from({ length: 24 }, (_, at) => `c${at + 2}`)];
    expect(errors).toEqual([
      {
        code: 'VALUE_INVALID',
        file: 'config.yaml',
        path: path.join('.subcategories.'),
        line: 4,
        column: expect.any(Number),
        message: 'is more than 24 categories deep: put it into a category further up',
      },
    ]);
  });

  test('a config of the greatest depth becomes a policy that a plane accepts', () => {
    const loaded = loadCategories(inStore(`categories: { c1: ${deep(CAPS.categoryDepth)} }`));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    const categories = compileCategories(loaded.categories);
    const policy = { version: 1, id: 'p', governance: { categories } } as const;
    expect(compiledFaults({ agents: [], policies: [policy], rules: [] })).toEqual([]);
  });

  test('a category is refused if no action can name its path', () => {
    const path = (rest: number) =>
      inStore(`categories: { ${'a'.repeat(100)}: { subcategories: { ${'b'.repeat(rest)}: {} } } }`);
    expect(loadCategories(path(98)).ok).toBe(true);
    expect(messageOf(path(99))).toBe(
      'has a path of 201 characters, at most 200 are allowed: shorten the names',
    );
  });

  test('stores count as categories for this limit', () => {
    const stores = Object.fromEntries(Object.keys(wide(CAPS.categories + 1)).map((name) => [name, {}]));
    expect(categoriesSection.safeParse(stores).success).toBe(false);
  });

  test.each(['stores', 'categories', 'constructor'])(
    'the categories of a store with the name %s are counted',
    (name) => {
      const section = { [name]: { categories: wide(10) }, other: { categories: wide(CAPS.categories) } };
      expect(categoriesSection.safeParse(section).success).toBe(false);
    },
  );

  test.each(['{', '{ "a": ', '[', 'a: '])('a nesting of %s is refused and exhausts no stack', (opening) => {
    const { ok, errors } = loadCategories(`stores: ${opening.repeat(20_000)}`);
    expect(ok).toBe(false);
    expect(errors[0]?.code).toBe('YAML_INVALID');
  });

  test('deeply nested categories are refused at the place where the nesting is too deep', () => {
    const nested = (depth: number): object =>
      depth === 0 ? {} : { subcategories: { a: nested(depth - 1) } };
    const config = (depth: number) =>
      JSON.stringify({ stores: { s: { kind: 'filesystem', categories: { a: nested(depth) } } } });
    expect(loadCategories(config(20)).ok).toBe(true);
    expect(loadCategories(config(100)).ok).toBe(false);
  });

  test('a name that objects inherit is a category only if the config contains it', () => {
    expect(faultsOf('{ "stores": { "__proto__": { "kind": "filesystem" } } }')).toEqual(['YAML_INVALID ']);
    expect(Object.keys(compileCategories({ stores: {} }))).toEqual([]);
  });
});

test('the section of a policy contains only fields that change decisions', () => {
  const loaded = loadCategories(inStore('properties: { path: /srv }, policies: { defaultTtl: 7 }'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  expect(compileCategories(loaded.categories)).toEqual({ s: { policies: { defaultTtl: 7 } } });
});
