/** Tests that a change of categories is reported if and only if some category allows more than before. */
import { compileCategories, effectivePolicy } from '@mandate/policy/governance';
import type { CategoriesSection, CategoryDocument } from '@mandate/schemas/manifest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { categoriesWiden } from './wider-categories.ts';

const NAMES = ['one', 'two'];
const DEPTH = 3;

const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T, never>(model, { requiredKeys: [] });
const policies = some({
  defaultTtl: fc.integer({ min: 1, max: 3 }),
  maxContentLength: fc.integer({ min: 1, max: 3 }),
  permissions: some({ create: fc.boolean(), update: fc.boolean(), delete: fc.boolean() }),
  subcategoryCreation: fc.boolean(),
});

function categoriesOf(depth: number): fc.Arbitrary<Record<string, CategoryDocument>> {
  const category = some({
    description: fc.constantFrom('a', 'b'),
    policies,
    ...(depth > 1 && { subcategories: categoriesOf(depth - 1) }),
  }) as fc.Arbitrary<CategoryDocument>;
  return fc.dictionary(fc.constantFrom(...NAMES), category, { maxKeys: 2 });
}

const section = fc.record({
  s: some({ policies, categories: categoriesOf(DEPTH) }),
}) as fc.Arbitrary<CategoriesSection>;

/** All paths down to one level below the deepest category. */
const PATHS = ['/'];
for (let at = 0; at < PATHS.length; at += 1) {
  const path = PATHS[at] ?? '/';
  if (path.split('/').length <= DEPTH + 1)
    PATHS.push(...NAMES.map((name) => `${path === '/' ? '' : path}/${name}`));
}

/** Compares the rules that hold at every path. */
function isWider(was: CategoriesSection, is: CategoriesSection): boolean {
  const [before, after] = [compileCategories(was), compileCategories(is)];
  const higher = (one: number | null, other: number | null) => (other ?? Infinity) > (one ?? Infinity);
  return PATHS.some((path) => {
    const [one, other] = [effectivePolicy(before, 's', path), effectivePolicy(after, 's', path)];
    if (one === null || other === null) throw new TypeError('the store is missing');
    return (
      higher(one.defaultTtl.value, other.defaultTtl.value) ||
      higher(one.maxContentLength.value, other.maxContentLength.value) ||
      (['create', 'update', 'delete', 'subcategoryCreation'] as const).some(
        (field) => !one[field].value && other[field].value,
      )
    );
  });
}

/** A second version that differs in few places from the first. Two unrelated versions are nearly always wider. */
const versions = fc.oneof(
  fc.tuple(section, section),
  fc.tuple(section, policies, fc.constantFrom(...NAMES)).map(([was, changed, name]) => {
    const { s = {} } = was;
    const categories = { ...s.categories, [name]: { ...s.categories?.[name], policies: changed } };
    return [was, { s: { ...s, categories } }] as const;
  }),
);

test('reports a change if and only if it allows more at some path', () => {
  let wider = 0;
  let others = 0;
  fc.assert(
    fc.property(versions, ([was, is]) => {
      const reported = categoriesWiden(was, is);
      expect(reported.length > 0).toBe(isWider(was, is));
      if (reported.length > 0) wider += 1;
      else others += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(wider).toBeGreaterThan(50);
  expect(others).toBeGreaterThan(50);
});

test('nothing is wider than itself', () => {
  fc.assert(
    fc.property(section, (one) => {
      expect(categoriesWiden(one, structuredClone(one))).toEqual([]);
    }),
  );
});

const linesOf = (was: CategoriesSection | undefined, is: CategoriesSection | undefined) =>
  categoriesWiden(was, is).map(
    ({ path, message }) => `${path.map(String).join('.')}: ${message().replace(/^.*?: /, '')}`,
  );

test('a difference is reported where it begins, and not again in the categories that inherit it', () => {
  const below = { one: { subcategories: { two: {} } } };
  const was = { s: { policies: { defaultTtl: 7, permissions: { delete: false } }, categories: below } };
  expect(linesOf(was, { s: { policies: { defaultTtl: 9 }, categories: below } })).toEqual([
    'categories.s.policies.defaultTtl: 9 instead of 7',
    'categories.s.policies.permissions.delete: true instead of false',
  ]);
});

test('a removed category is reported if its path becomes less restricted', () => {
  const strict = { s: { categories: { one: { policies: { maxContentLength: 5 } } } } };
  expect(linesOf(strict, { s: {} })).toEqual([
    'categories.s.categories.one.policies.maxContentLength: no limit instead of 5',
  ]);
  expect(linesOf({ s: {} }, strict)).toEqual([]);
});

test('a new store is wider, a removed store is not, and without the section nothing is limited', () => {
  expect(linesOf({ s: {} }, { s: {}, constructor: {} })).toEqual(['categories.constructor: a new store']);
  expect(linesOf(undefined, { s: {} })).toEqual(['categories.s: a new store']);
  expect(linesOf({ s: {}, t: {} }, { s: {} })).toEqual([]);
  expect(linesOf({ s: {} }, undefined)).toEqual(['categories: the section is gone, and with it its limits']);
});
