/** Makes the first API keys of a plane at its first start. They are shown once and stored as hashes. */

import { type ApiScope, DEFAULTS } from '@mandate/schemas';
import { type FileKeyStore, issueApiKey } from '@mandate/server';

export type FirstKey = {
  name: string;
  key: string;
  scopes: readonly ApiScope[];
  agents: readonly string[];
};

const FIRST_KEYS: readonly { name: string; scopes: readonly ApiScope[] }[] = [
  { name: 'publisher', scopes: ['publish', 'report'] },
  {
    name: 'operator',
    scopes: [
      'publish',
      'report',
      'release',
      'audit',
      'operate',
      'operate:all',
      'operate:limits',
      'author',
      'admin',
    ],
  },
  { name: 'auditor', scopes: ['audit'] },
];

/**
 * Returns the new keys. Returns none if the store already has keys.
 *
 * @param agents the agents of the publisher key: the agents that the policy files or the mandates file name
 */
export async function makeFirstKeys(
  store: FileKeyStore,
  agents: readonly string[],
): Promise<readonly FirstKey[]> {
  if ((await store.list()).length > 0) return [];
  const made: FirstKey[] = [];
  for (const { name, scopes } of FIRST_KEYS) {
    const speaksFor = name === 'publisher' ? agents : ['*'];
    const { key, record } = issueApiKey({ tenant: DEFAULTS.tenant, scopes, agents: speaksFor, name });
    await store.add(record);
    made.push({ name, key, scopes, agents: speaksFor });
  }
  return made;
}
