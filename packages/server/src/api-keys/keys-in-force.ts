import { anyKeyStore, type KeyStore, keyStoreOf } from './key-store.ts';
import { keysWhileOpen } from './keys-while-open.ts';

/**
 * Returns a store of the keys on the log and the keys of a file. A key of a closed tenant keeps only the scopes that
 * are needed to end its work.
 */
export function keysInForce(
  followed: {
    apiKeys: Parameters<typeof keyStoreOf>[0];
    mandates: { isClosed(tenant: string): boolean };
  },
  ofFile: KeyStore,
): KeyStore {
  return keysWhileOpen(anyKeyStore(keyStoreOf(followed.apiKeys), ofFile), followed.mandates);
}
