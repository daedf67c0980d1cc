/**
 * API keys that a server does not store. It computes a key each time it needs it. The public id is random, and the
 * record of the key contains it. The server computes the secret part from the id, the owner and the secret of the data
 * folder. So the record does not reveal the key. A new key always has a new random id, so a revoked key is never issued
 * again. All servers of a plane compute the same key.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { apiKeyOf, makeKeyId } from './key-format.ts';

export class DerivedKeys {
  readonly #secret: Buffer;

  /**
   * @param secret the secret of the data folder. Every server of a plane must have the same secret
   * @param purpose a text that no other use of the secret has
   */
  constructor(secret: string, purpose: string) {
    this.#secret = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  }

  /** Returns a key that no earlier call has returned. */
  make(owner: readonly string[]): { key: string; id: string } {
    const id = makeKeyId();
    return { key: this.keyOf(id, owner), id };
  }

  /** Returns the key with this id. Another owner gets another key, which the record of the key refuses. */
  keyOf(id: string, owner: readonly string[]): string {
    const named = JSON.stringify([id, ...owner]);
    return apiKeyOf(id, createHmac('sha256', this.#secret).update(named).digest());
  }
}
