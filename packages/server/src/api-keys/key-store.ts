import { type Clock, systemClock } from '@mandate/runtime';
import type { ApiKeyRecord, ApiScope } from '@mandate/schemas';
import { provenExpiry, provenRecord } from './api-key-record.ts';

/** A known key. `withheld`: the scopes that the key does not have now because its tenant is closed. */
export type KnownKey = ApiKeyRecord & { readonly withheld?: readonly ApiScope[] };

/** A store that looks up API keys. */
export type KeyStore = {
  /**
   * Returns the record of a key that is well-formed, known, not revoked and not expired. Null for any other key,
   * without a reason. Rejects with a MandateError if the store is not able to look up keys. Then the server admits no
   * caller.
   */
  find(key: string): Promise<KnownKey | null>;
  /**
   * Returns when this key expired. The caller must send the whole key. Null for a key that has not expired. Rejects
   * as `find` does.
   */
  expiredAt(key: string): Promise<string | null>;
  /**
   * Returns the holder of the key with this public id, even of a revoked key. Null if there is no such key. This
   * proves nothing about the caller, because ids are not secret. Rejects as `find` does.
   */
  holderOf(id: string): Promise<KeyHolder | null>;
};

export type KeyHolder = Pick<ApiKeyRecord, 'id' | 'name' | 'tenant'>;

/** A store for keys that exist only in this process. */
export function memoryKeyStore(records: readonly ApiKeyRecord[], clock?: Clock): KeyStore {
  return keyStoreOf(new Map(records.map((record) => [record.id, record])), clock);
}

/** @param byId the records by id. The map may change, and the store uses its current content */
export function keyStoreOf(
  byId: Pick<ReadonlyMap<string, ApiKeyRecord>, 'get'>,
  clock: Clock = systemClock,
): KeyStore {
  return {
    find: async (key) => provenRecord(byId, key, clock()),
    expiredAt: async (key) => provenExpiry(byId, key, clock()),
    holderOf: async (id) => byId.get(id) ?? null,
  };
}

/** Returns a store that searches the stores in order. If a store fails, only keys of earlier stores are admitted. */
export function anyKeyStore(...stores: readonly KeyStore[]): KeyStore {
  return {
    async find(key) {
      for (const store of stores) {
        const record = await store.find(key);
        if (record !== null) return record;
      }
      return null;
    },
    async expiredAt(key) {
      for (const store of stores) {
        const expiredAt = await store.expiredAt(key);
        if (expiredAt !== null) return expiredAt;
      }
      return null;
    },
    async holderOf(id) {
      for (const store of stores) {
        const holder = await store.holderOf(id);
        if (holder !== null) return holder;
      }
      return null;
    },
  };
}
