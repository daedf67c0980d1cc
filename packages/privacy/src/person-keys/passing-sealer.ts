import { randomBytes } from 'node:crypto';
import type { Sealer } from '../sealer.ts';
import { hmacSha256 } from './hmac-sha256.ts';
import { looksSealed, refOf, sealText, secretsOf } from './sealed-text.ts';

/**
 * Seals as a plane does, but with keys that are not stored. The result has the same form, and cannot be unsealed. No
 * person counts as erased.
 */
export function passingSealer(): Sealer {
  const root = randomBytes(32);
  const keysId = randomBytes(8).toString('hex');
  const leafOf = (tenant: string, person: string) => hmacSha256(root, Buffer.from(`${tenant}\n${person}`));
  return {
    seal(tenant, person, text) {
      const leaf = leafOf(tenant, person);
      const ref = refOf(keysId, leaf.toString('hex').slice(0, 16));
      return sealText(secretsOf(leaf), { ref, tenant }, text);
    },
    pseudonym: (tenant, person) => secretsOf(leafOf(tenant, person)).pseudonym,
    isSealed: looksSealed,
  };
}
