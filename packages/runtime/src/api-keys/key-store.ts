import { type ApiKeyRecord, provenRecord } from './api-key-record.ts';

/** Where API keys are looked up. */
export type KeyStore = {
  /**
   * The record of a key that is well-formed, known and not revoked; null for any other, without saying which.
   * Rejects with a MandateError when it cannot know: then nobody is let in.
   */
  find(key: string): Promise<ApiKeyRecord | null>;
};

/** Keys that live as long as the process. */
export function memoryKeyStore(records: readonly ApiKeyRecord[]): KeyStore {
  const byId = new Map(records.map((record) => [record.id, record]));
  return { find: async (key) => provenRecord(byId, key) };
}
