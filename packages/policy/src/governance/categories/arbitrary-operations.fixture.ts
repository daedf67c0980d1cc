/** Random sections `governance.categories`, and random operations on their categories and on others. */
import type { MemoryOperation, PlannedChange } from '@mandate/schemas';
import type { CategoriesSection, CategoryDocument } from '@mandate/schemas/manifest';
import fc from 'fast-check';
import { compileCategories, type EffectivePolicy, effectivePolicy } from './categories.ts';
import { planChange } from './plan-change.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

const STORES = ['notes', 'archive'];
/** The config has no category `new`. */
const NAMES = ['one', 'one-two', 'constructor'];
const DEPTH = 3;

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T, never>(model, { requiredKeys: [] });

/** A permission is rarely denied. Otherwise few operations would be allowed. */
const rarely = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);

const policies = record({
  defaultTtl: fc.integer({ min: 1, max: 9 }),
  maxContentLength: fc.integer({ min: 4, max: 12 }),
  permissions: record({ create: rarely, update: rarely, delete: rarely }),
  subcategoryCreation: rarely,
});

function categoriesOf(depth: number): fc.Arbitrary<Record<string, CategoryDocument>> {
  const category = record({
    policies,
    ...(depth > 1 && { subcategories: categoriesOf(depth - 1) }),
  }) as fc.Arbitrary<CategoryDocument>;
  return fc.dictionary(fc.constantFrom(...NAMES), category, { maxKeys: 3 });
}

export const arbitrarySection = fc.record(
  Object.fromEntries(STORES.map((store) => [store, record({ policies, categories: categoriesOf(DEPTH) })])),
) as fc.Arbitrary<CategoriesSection>;

export const arbitraryStore = fc.constantFrom(...STORES);

export const arbitraryPath = fc
  .array(fc.constantFrom(...NAMES, 'new'), { minLength: 1, maxLength: DEPTH + 1 })
  .map((names) => `/${names.join('/')}`);

/** A category at the top or just below. It often has categories below it. */
const highPath = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 })
  .map((names) => `/${names.join('/')}`);

/** What exists: some categories, with or without those above them. */
const existing = fc.uniqueArray(arbitraryPath, { maxLength: 8 });
const time = fc.integer({ min: -20, max: 20 }).map((days) => new Date(NOW_MS + days * DAY_MS).toISOString());
const expiry = some(fc.option(time, { nil: null }));
const content = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '𠮷'), maxLength: 12 }).map((text) => ({ content: text })),
  fc.integer({ min: 0, max: 12 }).map((contentLength) => ({ contentLength })),
);

type Fields = Omit<MemoryOperation, 'id' | 'agentId' | 'type'>;

export function operationOf(fields: Fields): MemoryOperation {
  const stated = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    id: 'a1',
    agentId: 'scribe',
    type: 'memory_operation',
    ...Object.fromEntries(stated),
  } as MemoryOperation;
}

function operations<O extends Fields['operation']>(
  operation: O,
  fields: { [field: string]: fc.Arbitrary<unknown> },
  others: fc.Arbitrary<object> = fc.constant({}),
): fc.Arbitrary<MemoryOperation> {
  return fc
    .tuple(fc.record({ store: arbitraryStore, ...fields }), others)
    .map(([one, other]) => operationOf({ operation, ...one, ...other } as Fields));
}

export const arbitraryCreate = operations(
  'createMemory',
  { category: arbitraryPath, expiresAt: expiry, existing: some(existing) },
  content,
);
export const arbitraryUpdate = operations(
  'updateMemory',
  { category: arbitraryPath, createdAt: time, expiresAt: expiry, currentExpiresAt: expiry },
  fc.oneof(content, fc.constant({})),
);
export const arbitraryMove = operations(
  'moveMemory',
  {
    category: arbitraryPath,
    to: arbitraryPath,
    toStore: some(arbitraryStore),
    createdAt: time,
    currentExpiresAt: expiry,
    existing: some(existing),
  },
  content,
);
export const arbitraryCreateCategory = operations('createCategory', {
  path: arbitraryPath,
  existing: some(existing),
});
export const arbitraryDeleteCategory = operations('deleteCategory', {
  path: highPath,
  existing: some(existing),
});

export const arbitraryOperation = fc.oneof(
  arbitraryCreate,
  arbitraryUpdate,
  arbitraryMove,
  arbitraryCreateCategory,
  arbitraryDeleteCategory,
  operations('deleteMemory', { category: arbitraryPath }),
  operations('setDescription', { path: arbitraryPath, description: fc.string({ maxLength: 20 }) }),
);

/** Returns the planned change. Null if the operation is refused. */
export function planned(section: CategoriesSection, operation: MemoryOperation): PlannedChange | null {
  return planChange(compileCategories(section), operation).planned;
}

export function effectiveIn(section: CategoriesSection, store: string, path: string): EffectivePolicy {
  const effective = effectivePolicy(compileCategories(section), store, path);
  if (effective === null) throw new TypeError(`the section has no store ${store}`);
  return effective;
}

/** Returns the path and all paths above it, the root first. */
export function pathsTo(path: string): readonly string[] {
  const names = path.split('/').slice(1);
  return ['/', ...names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)];
}

/** Returns the place at which the memory is afterwards. */
export function targetOf({ store, toStore = store, category = '', to = category }: MemoryOperation) {
  return { store: toStore, path: to };
}
