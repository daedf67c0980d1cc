import { type Clock, systemClock } from '@mandate/runtime';
import type { ApiKeyRecord, ApiScope } from '@mandate/schemas';
import { provenExpiry, provenRecord } from './api-key-record.ts';

/** `withheld`: what it would open, were its tenant not closed. */
export type KnownKey = ApiKeyRecord & { readonly withheld?: readonly ApiScope[] };

/** Where API keys are looked up. */
export type KeyStore = {
  /**
   * The record of a key that is well-formed, known and neither revoked nor expired; null for any other, without saying which.
   * Rejects with a MandateError when it cannot know: then nobody is let in.
   */
  find(key: string): Promise<KnownKey | null>;
  /** When this key expired, of which the whole is shown; null for any other. Rejects likewise. */
  expiredAt(key: string): Promise<string | null>;
  /**
   * Whose key has, or had, this public id; null where it is nobody's. It proves nothing of whoever names it, as ids are no
   * secret. Rejects likewise.
   */
  holderOf(id: string): Promise<KeyHolder | null>;
};

export type KeyHolder = Pick<ApiKeyRecord, 'id' | 'name' | 'tenant'>;

/** Keys that live as long as the process. */
export function memoryKeyStore(records: readonly ApiKeyRecord[], clock?: Clock): KeyStore {
  return keyStoreOf(new Map(records.map((record) => [record.id, record])), clock);
}

/** @param byId may change; what it holds then counts */
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

/** A key of any of them; where one cannot know, nobody is let in whom those before it do not know. */
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
