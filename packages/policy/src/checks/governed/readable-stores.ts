/** What may be read from memory: the stores of an intent, under all policies together. */
import type { Json, Obligations } from '@mandate/schemas';
import { lowerLimit } from '../../lower-limit.ts';
import type { Calls } from '../check.ts';
import { type Governed, governedOf } from './governed.ts';

/** A store that may be read. `maxResults` null: no limit. */
export type ReadableStore = { store: string; maxResults: number | null };

/** Returns the policies that say what may be read. If there are none, nothing may be read. */
export function readingOf(calls: readonly Calls[]): readonly Governed[] {
  return governedOf(calls).filter(({ governance }) => governance.read !== null);
}

/**
 * Returns the stores of an intent that every policy allows, in the order of the first policy. Each has the lowest
 * limit of all policies.
 *
 * @param intent null: no intent is known, so the stores of the fallback are read
 */
export function storesOf(reading: readonly Governed[], intent: string | null): readonly ReadableStore[] {
  const [first, ...others] = reading.map((one) => storesUnder(one, intent));
  if (first === undefined) return [];
  return others.reduce<readonly ReadableStore[]>(
    (stores, other) =>
      stores.flatMap(({ store, maxResults }) => {
        const same = other.find((one) => one.store === store);
        return same === undefined ? [] : [{ store, maxResults: lowerLimit(maxResults, same.maxResults) }];
      }),
    first,
  );
}

/** An intent that is unknown or not mapped has the stores of the fallback. */
function storesUnder({ governance: { read, intents } }: Governed, intent: string | null): ReadableStore[] {
  if (read === null) return [];
  const mapped = intent === null ? undefined : read.mapping.get(intent);
  const stores = mapped ?? read.mapping.get(intents?.fallback ?? '') ?? [];
  return [...new Set(stores)].map((store) => ({ store, maxResults: read.maxResults.get(store) ?? null }));
}

/** Returns the filter that a read must carry. It refers to the principal, because the id may be hashed on the record. */
export function filterOf(reading: readonly Governed[]): Obligations {
  const isolates = reading.some(({ governance }) => governance.read?.isolation === true);
  return isolates ? { filter: { field: 'user_id', is: 'principal.id' } satisfies Json } : {};
}
