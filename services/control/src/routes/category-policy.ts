/**
 * The policy of a category of memories, in the form of GET /v1/policies/{id}/categories. Each field names the category
 * that sets it. The preview of an operation on memory contains the policies of its categories in the same form.
 */
import { compileCategories, type EffectivePolicy, effectivePolicy } from '@mandate/policy/governance';
import { described, id, type MemoryOperation, type PolicyDocument } from '@mandate/schemas';
import { z } from 'zod';

function said<T extends z.ZodType>(value: T, text: string, example: z.input<T>) {
  return described(
    z.object({
      value: described(value, 'What applies.', example as never),
      from: described(
        z.string().nullable(),
        'The category that sets it; `/` is the store. null: no category sets it, so it is the default.',
        '/standup',
      ),
    }),
    text,
  );
}

export const categoryPolicy = z.object({
  store: described(id, 'The store.', 'notes'),
  category: described(z.string(), 'The category, with a slash in front.', '/standup/pinned'),
  defaultTtl: said(
    z.int().nullable(),
    'The longest life of a memory, in days, and the life of a memory that asks for none. null: no limit.',
    7,
  ),
  maxContentLength: said(z.int().nullable(), 'The most characters of a memory. null: no limit.', 5_000),
  permissions: described(
    z.object({
      create: said(z.boolean(), 'Whether memories may be created.', true),
      update: said(z.boolean(), 'Whether memories may be changed.', true),
      delete: said(z.boolean(), 'Whether memories may be deleted.', false),
    }),
    'What may be done with memories.',
  ),
  subcategoryCreation: said(z.boolean(), 'Whether categories may be made below it.', true),
});
export type CategoryPolicy = z.output<typeof categoryPolicy>;

/** Returns what the policy says of the category. Null if the policy does not know the store. */
export function categoryPolicyOf(
  { governance }: PolicyDocument,
  store: string,
  category: string,
): CategoryPolicy | null {
  const categories = compileCategories(governance?.categories ?? {});
  const effective = effectivePolicy(categories, store, category);
  return effective && { store, category: withSlash(category), ...shown(effective) };
}

function shown({
  create,
  update,
  delete: deletes,
  ...others
}: EffectivePolicy): Omit<CategoryPolicy, 'store' | 'category'> {
  return { ...others, permissions: { create, update, delete: deletes } };
}

/** Returns the categories that an operation names, each with its store. If it names none: the store as a whole. */
export function categoriesNamed({
  store,
  toStore = store,
  ...named
}: MemoryOperation): { store: string; category: string }[] {
  const { category = named.path ?? '/', to } = named;
  return [{ store, category }, ...(to === undefined ? [] : [{ store: toStore, category: to }])];
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
