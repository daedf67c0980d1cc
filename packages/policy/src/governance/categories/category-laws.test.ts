/** Laws of the policies of categories. They hold for every config and every operation. */
import type { CategoriesSection, CategoryDocument, CategoryPolicies } from '@mandate/schemas/manifest';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arbitraryCreate,
  arbitraryCreateCategory,
  arbitraryDeleteCategory,
  arbitraryMove,
  arbitraryOperation,
  arbitraryPath,
  arbitrarySection,
  arbitraryStore,
  effectiveIn,
  operationOf,
  pathsTo,
  planned,
  targetOf,
} from './arbitrary-operations.fixture.ts';
import { compileCategories, type EffectivePolicy } from './categories.ts';
import { planChange } from './plan-change.ts';

const RUNS = { numRuns: runs(2_000) };

/** Returns what the config says at exactly this path. */
function saidAt(section: CategoriesSection, store: string, path: string): CategoryPolicies {
  const root = section[store];
  if (path === '/') return root?.policies ?? {};
  let below = new Map(Object.entries(root?.categories ?? {}));
  let category: CategoryDocument | undefined;
  for (const name of path.split('/').slice(1)) {
    category = below.get(name);
    below = new Map(Object.entries(category?.subcategories ?? {}));
  }
  return category?.policies ?? {};
}

type Field = { read: (said: CategoryPolicies) => number | boolean | undefined; byDefault: null | true };

const FIELDS: Readonly<Record<keyof EffectivePolicy, Field>> = {
  defaultTtl: { read: ({ defaultTtl }) => defaultTtl, byDefault: null },
  maxContentLength: { read: ({ maxContentLength }) => maxContentLength, byDefault: null },
  create: { read: ({ permissions }) => permissions?.create, byDefault: true },
  update: { read: ({ permissions }) => permissions?.update, byDefault: true },
  delete: { read: ({ permissions }) => permissions?.delete, byDefault: true },
  subcategoryCreation: { read: ({ subcategoryCreation }) => subcategoryCreation, byDefault: true },
};

test('each field is that of the nearest category that says it, and no other field of a child changes', () => {
  let inherited = 0;
  fc.assert(
    fc.property(arbitrarySection, arbitraryStore, arbitraryPath, (section, store, path) => {
      const effective = effectiveIn(section, store, path);
      for (const [name, { read, byDefault }] of Object.entries(FIELDS)) {
        const said = (one: string) => read(saidAt(section, store, one));
        const from = pathsTo(path).findLast((one) => said(one) !== undefined) ?? null;
        const value = from === null ? byDefault : said(from);
        expect(effective[name as keyof EffectivePolicy], name).toEqual({ value, from });
        if (from !== null && from !== path) inherited += 1;
      }
    }),
    RUNS,
  );
  expect(inherited).toBeGreaterThan(hits(1_000));
});

type Denial = 'create' | 'update' | 'delete' | 'subcategoryCreation' | 'maxContentLength';

/** Returns the policies with one more denial. A limit of the length becomes no higher than `most`. */
function denying(policies: CategoryPolicies | undefined, denied: Denial, most: number): CategoryPolicies {
  if (denied === 'subcategoryCreation') return { ...policies, subcategoryCreation: false };
  if (denied === 'maxContentLength') return { ...policies, maxContentLength: most };
  return { ...policies, permissions: { ...policies?.permissions, [denied]: false } };
}

/** Returns the section with one more denial at a path. */
function denyingAt(
  section: CategoriesSection,
  store: string,
  path: string,
  denied: Denial,
): CategoriesSection {
  const most = Math.min(4, effectiveIn(section, store, path).maxContentLength.value ?? 4);
  const at = (category: CategoryDocument = {}, [name, ...names]: readonly string[]): CategoryDocument =>
    name === undefined
      ? { ...category, policies: denying(category.policies, denied, most) }
      : {
          ...category,
          subcategories: {
            ...category.subcategories,
            [name]: at(new Map(Object.entries(category.subcategories ?? {})).get(name), names),
          },
        };
  const { policies, categories } = section[store] ?? {};
  const denies = at({ policies, subcategories: categories }, path.split('/').filter(Boolean));
  return { ...section, [store]: { policies: denies.policies, categories: denies.subcategories } };
}

test('a config that denies more never lets more through', () => {
  let stopped = 0;
  const denial = fc.constantFrom<Denial>(
    'create',
    'update',
    'delete',
    'subcategoryCreation',
    'maxContentLength',
  );
  const place = fc.oneof(fc.constant('/'), arbitraryPath);
  fc.assert(
    fc.property(
      arbitrarySection,
      arbitraryStore,
      place,
      denial,
      arbitraryOperation,
      (section, store, path, denied, operation) => {
        const before = planned(section, operation);
        const after = planned(denyingAt(section, store, path, denied), operation);
        if (after !== null) expect(before).not.toBeNull();
        if (before !== null && after === null) stopped += 1;
      },
    ),
    RUNS,
  );
  expect(stopped).toBeGreaterThan(hits(50));
});

test('a move is allowed exactly where the memory may be deleted and created', () => {
  let allowed = 0;
  fc.assert(
    fc.property(arbitrarySection, arbitraryMove, (section, move) => {
      const { store, category = '', to = '', toStore = store, content, contentLength, existing } = move;
      const isMoved = planned(section, move) !== null;
      if (store === toStore && category === to) {
        const { createdAt } = move;
        const update = operationOf({ operation: 'updateMemory', store, category, createdAt });
        expect(isMoved).toBe(planned(section, update) !== null);
        return;
      }
      const deletes = operationOf({ operation: 'deleteMemory', store, category });
      const creates = operationOf({
        operation: 'createMemory',
        store: toStore,
        category: to,
        content,
        contentLength,
        existing,
      });
      expect(isMoved).toBe(planned(section, deletes) !== null && planned(section, creates) !== null);
      if (isMoved) allowed += 1;
    }),
    RUNS,
  );
  expect(allowed).toBeGreaterThan(hits(100));
});

test('every category that is made is missing and allowed by the category above it', () => {
  let made = 0;
  fc.assert(
    fc.property(
      arbitrarySection,
      fc.oneof(arbitraryCreate, arbitraryMove, arbitraryCreateCategory),
      (section, operation) => {
        const change = planned(section, operation);
        if (change === null) return;
        const {
          operation: name,
          path = '',
          existing = name === 'createCategory' ? [] : undefined,
        } = operation;
        const target = name === 'createCategory' ? { store: operation.store, path } : targetOf(operation);
        const onTheWay = pathsTo(target.path).slice(1);
        const there = existing === undefined ? onTheWay : existing;
        const inPlace =
          name === 'moveMemory' && target.store === operation.store && target.path === operation.category;
        const isThere = name === 'createCategory' && there.includes(path);
        const missing = inPlace || isThere ? [] : onTheWay.filter((one) => !there.includes(one));
        expect(change.creates ?? []).toEqual(missing);
        for (const one of missing) {
          const above = pathsTo(one).at(-2) ?? '/';
          expect(effectiveIn(section, target.store, above).subcategoryCreation.value).toBe(true);
        }
        made += missing.length;
      },
    ),
    RUNS,
  );
  expect(made).toBeGreaterThan(hits(300));
});

test('a category is deleted exactly if it and everything below it may be deleted', () => {
  const seen = { allowed: 0, protectedBelow: 0 };
  fc.assert(
    fc.property(arbitrarySection, arbitraryDeleteCategory, (section, operation) => {
      const { store, path = '', existing } = operation;
      const known = existing ?? configured(section[store]?.categories, '');
      const all = [path, ...known.filter((one) => one.startsWith(`${path}/`))];
      const kept = all.filter((one) => !effectiveIn(section, store, one).delete.value);
      const { refusal } = planChange(compileCategories(section), operation);
      expect(refusal === null).toBe(kept.length === 0);
      if (refusal !== null) {
        const first = kept.includes(path) ? path : kept.toSorted()[0];
        expect(refusal.violation.code).toBe('OPERATION_NOT_PERMITTED');
        expect(refusal.violation.reason).toContain(`"${first}"`);
      }
      seen.allowed += refusal === null ? 1 : 0;
      seen.protectedBelow += refusal !== null && !kept.includes(path) ? 1 : 0;
    }),
    RUNS,
  );
  expect(seen.allowed).toBeGreaterThan(hits(100));
  expect(seen.protectedBelow).toBeGreaterThan(hits(20));
});

function configured(categories: CategoryDocument['subcategories'], path: string): readonly string[] {
  return Object.entries(categories ?? {}).flatMap(([name, { subcategories }]) => [
    `${path}/${name}`,
    ...configured(subcategories, `${path}/${name}`),
  ]);
}

test('a plan is plain data, and a path means the same with and without a slash in front', () => {
  fc.assert(
    fc.property(arbitrarySection, arbitraryOperation, (section, operation) => {
      const plan = planChange(compileCategories(section), operation);
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      const bare = (path: string | undefined) => path?.slice(1);
      const { category, to, path, existing } = operation;
      const same = operationOf({
        ...operation,
        category: bare(category),
        to: bare(to),
        path: bare(path),
        existing: existing?.map((one) => one.slice(1)),
      });
      expect(planChange(compileCategories(section), same)).toEqual(plan);
    }),
    RUNS,
  );
});
