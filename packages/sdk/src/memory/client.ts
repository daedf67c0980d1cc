/** The memory client that a program passes to `mandate.memory`, and the governed memory that the program gets back. */
import type { Decision, Origin } from '@mandate/schemas';
import type { MemoryFilter } from '../turn/readable-stores.ts';
import type { CallOptions } from '../types.ts';

/** A time: a date, milliseconds since 1970, or a text of RFC 3339. */
export type Time = Date | number | string;

/** The facts that a store knows about a memory. They come from the store, and never from a model. */
export type MemoryFacts = {
  /** The path of the category, such as `/standup/pinned`. */
  category: string;
  createdAt: Time;
  /** Null: the memory never expires. */
  expiresAt: Time | null;
  /** The content, or its number of characters. Only a move needs one of them. */
  content?: string;
  contentLength?: number;
};

/**
 * A search in the form in which the client must run it. `limit`: the maximum number of results. Null: no limit. A
 * filter of null: all people.
 */
export type MemorySearch = { query: string; limit: number | null; filter: MemoryFilter | null };

type NewMemory = { category: string; content: string };
export type MemoryChanges = { content?: string; expiresAt?: Time | null };

/**
 * A client of one store. It has the operations that the store supports, and each is called with the values from the
 * decision. Times are texts of RFC 3339. Operations may have additional fields and results.
 */
export type MemoryClient = {
  search?(search: never, signal: AbortSignal): unknown;
  create?(memory: never, signal: AbortSignal): unknown;
  update?(id: string, changes: never, signal: AbortSignal): unknown;
  delete?(id: string, signal: AbortSignal): unknown;
  move?(id: string, to: MemoryTarget, signal: AbortSignal): unknown;
  /**
   * Makes one category. The category above it already exists. `store`: the store of the client, or the target of a
   * move.
   */
  createCategory?(path: string, store: string, signal: AbortSignal): unknown;
  deleteCategory?(path: string, signal: AbortSignal): unknown;
  /** @param description null: the description is removed */
  setDescription?(path: string, description: string | null, signal: AbortSignal): unknown;
  /** Deletes the memories that expire before this time, and no others. */
  prune?(pruning: MemoryPruning, signal: AbortSignal): unknown;
  /**
   * Returns the facts of a memory. Null if the memory does not exist. `update`, `delete` and `move` need this function.
   */
  facts?(id: string): MemoryFacts | null | PromiseLike<MemoryFacts | null>;
  /**
   * Returns the paths of the categories in a store. If this function is absent, a category to create counts as missing,
   * and the category of a memory counts as existing.
   */
  categories?(store: string): readonly string[] | PromiseLike<readonly string[]>;
};

/** The place to which a memory is moved, and the time when it must expire there. */
export type MemoryTarget = { category: string; store: string; expiresAt: string | null };

export type MemoryPruning = { category: string | null; expiredBefore: string };

/**
 * The options of an operation. `origins` says who chose a field. A field without an origin counts as chosen by the
 * model.
 */
export type MemoryCallOptions = Omit<CallOptions, 'carriesOut'> & { origins?: Record<string, Origin> };

/** The result of the client's operation. */
type ResultOf<C extends MemoryClient, Name extends keyof MemoryClient> =
  NonNullable<C[Name]> extends (...given: never[]) => infer Result ? Promise<Awaited<Result>> : never;

/** The fields of a client's operation besides the fields that a decision sets. */
type Given<C extends MemoryClient, Name extends 'search' | 'create', Own> =
  NonNullable<C[Name]> extends (given: infer Whole, ...more: never[]) => unknown
    ? Own & Omit<Whole, keyof Own | 'expiresAt' | 'limit' | 'filter'>
    : Own;

type ChangesOf<C extends MemoryClient> =
  NonNullable<C['update']> extends (id: string, changes: infer Whole, ...more: never[]) => unknown
    ? MemoryChanges & Omit<Whole, keyof MemoryChanges>
    : MemoryChanges;

type AllOperations<C extends MemoryClient> = {
  /** Searches the store, if the policy allows reading it. Returns at most the allowed number of results. */
  search(
    search: Given<C, 'search', { query: string; limit?: number }>,
    options?: MemoryCallOptions,
  ): ResultOf<C, 'search'>;
  create(
    memory: Given<C, 'create', NewMemory & { expiresAt?: Time | null }>,
    options?: MemoryCallOptions,
  ): ResultOf<C, 'create'>;
  update(id: string, changes: ChangesOf<C>, options?: MemoryCallOptions): ResultOf<C, 'update'>;
  delete(id: string, options?: MemoryCallOptions): ResultOf<C, 'delete'>;
  move(
    id: string,
    to: { category: string; store?: string },
    options?: MemoryCallOptions,
  ): ResultOf<C, 'move'>;
  /** Makes the category and all missing categories above it. Returns the paths of the new categories. */
  createCategory(path: string, options?: MemoryCallOptions): Promise<{ creates: readonly string[] }>;
  deleteCategory(path: string, options?: MemoryCallOptions): ResultOf<C, 'deleteCategory'>;
  setDescription(
    path: string,
    description: string,
    options?: MemoryCallOptions,
  ): ResultOf<C, 'setDescription'>;
  /** Deletes expired memories. Only a program may request this: state `origins: { operation: 'system' }`. */
  prune(pruning: { category?: string }, options?: MemoryCallOptions): ResultOf<C, 'prune'>;
};

/** The operations of the client. Each is decided before it runs. The object has no other members of the client. */
export type GovernedMemory<C extends MemoryClient> = Pick<
  AllOperations<C>,
  Extract<keyof C, keyof AllOperations<C>>
>;

export type OperationName = keyof AllOperations<MemoryClient>;

export type MemoryOptions<C extends MemoryClient> = {
  client: C;
  /** Default: the agent of the instance. */
  agentId?: string;
  /** `length`: the record contains the length of a content instead of the content. Default: `text`. */
  content?: 'text' | 'length';
  /**
   * Is called with the decision of each operation that runs. The `notes` of the decision list its changes, such as an
   * earlier expiry.
   */
  onDecision?: (decision: Decision) => void;
};
