/** The operations on memories and categories, with their fields. */

type Fields = { readonly required: readonly string[]; readonly optional: readonly string[] };

const CONTENT = ['content', 'contentLength'];

/** The fields of each operation besides `operation` and `store`. */
export const MEMORY_OPERATION_FIELDS = {
  createMemory: { required: ['category'], optional: [...CONTENT, 'expiresAt', 'existing'] },
  updateMemory: {
    required: ['category', 'createdAt'],
    optional: [...CONTENT, 'expiresAt', 'currentExpiresAt'],
  },
  deleteMemory: { required: ['category'], optional: [] },
  moveMemory: {
    required: ['category', 'to', 'createdAt'],
    optional: [...CONTENT, 'toStore', 'currentExpiresAt', 'existing'],
  },
  createCategory: { required: ['path'], optional: ['existing'] },
  deleteCategory: { required: ['path'], optional: ['existing'] },
  setDescription: { required: ['path', 'description'], optional: [] },
  prune: { required: [], optional: ['category'] },
} as const satisfies Record<string, Fields>;
export type MemoryOperationName = keyof typeof MEMORY_OPERATION_FIELDS;

/** What each permission of a category allows, for a sentence: memories may be created, changed or deleted. */
export const PERMISSION_IN_WORDS = { create: 'created', update: 'changed', delete: 'deleted' } as const;

/** The operations that need the content or its length. */
export const CONTENT_NEEDED: ReadonlySet<MemoryOperationName> = new Set(['createMemory', 'moveMemory']);
