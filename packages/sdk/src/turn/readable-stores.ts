/** What a decision allows a program to read from memory: stores with limits, and a filter by person. */
import type { Action, MemoryRead } from '@mandate/schemas';
import { listIn, type Obligations, textIn, UnknownForm } from '../carry-out.ts';
import { isObject } from '../create-action.ts';

/** A store to read. `maxResults`: the maximum number of results from it. Null: no limit. */
export type ReadableStore = { readonly store: string; readonly maxResults: number | null };

/** Only memories with this `user_id` may be read. */
export type MemoryFilter = { readonly user_id: string };

/** @returns null if the decision does not limit the stores */
export function storesIn({ stores }: Obligations): readonly ReadableStore[] | null {
  if (stores === undefined) return null;
  return listIn(stores, 'stores', ['store', 'maxResults']).map(({ store, maxResults = null }) => {
    const isLimit = maxResults === null || (Number.isSafeInteger(maxResults) && Number(maxResults) >= 0);
    if (!isLimit) throw new UnknownForm('stores');
    return { store: textIn(store, 'stores'), maxResults: maxResults as number | null };
  });
}

/**
 * Returns the filter with the id of the principal. A decision refers to the principal, because the record may have a
 * hash instead of the id.
 *
 * @returns null if the decision demands no filter
 */
export function filterIn(
  { filter }: Obligations,
  { principal }: Pick<Action, 'principal'>,
): MemoryFilter | null {
  if (filter === undefined) return null;
  const isKnown =
    isObject(filter) &&
    Object.keys(filter).length === 2 &&
    filter.field === 'user_id' &&
    filter.is === 'principal.id';
  if (!isKnown || principal === undefined) throw new UnknownForm('filter');
  return { user_id: principal.id };
}

/** The data to read: stores with their limits, and a filter by person. Without a filter, the memories of all people. */
export type Readable = { readonly stores: readonly ReadableStore[]; readonly filter: MemoryFilter | null };

/**
 * Returns what the program may read. If the decision does not limit the read, the request decides. Memories of all
 * people are read only if the request asks for them, or has no principal.
 */
export function readableIn(obligations: Obligations, action: Action): Readable {
  const { stores = [], limits = {}, filter, principal } = action as MemoryRead;
  const asked = stores.map((store) => ({ store, maxResults: limits[store] ?? null }));
  const own = principal === undefined ? null : { user_id: principal.id };
  const id = filter?.user_id;
  const wanted = id === undefined ? own : id === null ? null : { user_id: id };
  return { stores: storesIn(obligations) ?? asked, filter: filterIn(obligations, action) ?? wanted };
}

/** The names of the obligations that `readableIn` reads. */
export const READ_DUTIES = ['stores', 'filter'];
