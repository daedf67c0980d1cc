/**
 * The API keys with which a service of this plane asks the plane itself. Each tenant has one. They exist only in the
 * memory of this process, from its start to its end, and no file or log contains them.
 */
import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord, ApiScope } from '@mandate/schemas';
import { issueApiKey, type KeyStore, keyStoreOf } from '@mandate/server';

export type ServiceKeys = { store: KeyStore; keyOf(tenant: string): string };

/** @param name the name of the service, which records show */
export function serviceKeys(
  { name, scopes }: { name: string; scopes: readonly ApiScope[] },
  clock: Clock,
): ServiceKeys {
  const records = new Map<string, ApiKeyRecord>();
  const keys = new Map<string, string>();
  return {
    store: keyStoreOf(records, clock),
    keyOf(tenant) {
      const known = keys.get(tenant);
      if (known !== undefined) return known;
      const { key, record } = issueApiKey({ tenant, scopes, agents: ['*'], name }, clock);
      records.set(record.id, record);
      keys.set(tenant, key);
      return key;
    },
  };
}
