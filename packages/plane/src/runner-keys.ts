/**
 * The API keys with which the runner of this plane asks for the actions of its runs. Each tenant has one. They exist
 * only in the memory of this process, from its start to its end, and no file or log contains them.
 */
import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import { issueApiKey, type KeyStore, keyStoreOf } from '@mandate/server';

export type RunnerKeys = { store: KeyStore; keyOf(tenant: string): string };

export function runnerKeys(clock: Clock): RunnerKeys {
  const records = new Map<string, ApiKeyRecord>();
  const keys = new Map<string, string>();
  return {
    store: keyStoreOf(records, clock),
    keyOf(tenant) {
      const known = keys.get(tenant);
      if (known !== undefined) return known;
      const scopes = ['publish', 'report', 'release'] as const;
      const { key, record } = issueApiKey({ tenant, scopes, agents: ['*'], name: 'runner' }, clock);
      records.set(record.id, record);
      keys.set(tenant, key);
      return key;
    },
  };
}
