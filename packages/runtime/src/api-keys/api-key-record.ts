import { createHash, timingSafeEqual } from 'node:crypto';
import { type ApiKeyRecord, type ApiScope, apiKeyRecord, ROLES, type Role } from '@mandate/schemas';
import { type Clock, systemClock } from '../clock.ts';
import { makeApiKey, parseApiKey } from './key-format.ts';

/** Makes a key. The key itself is in the answer and nowhere else: show it once, keep only the record. */
export function issueApiKey(
  grant: { tenant: string; scopes: readonly ApiScope[]; agents: readonly string[]; name: string },
  clock: Clock = systemClock,
): { key: string; record: ApiKeyRecord } {
  const { key, id } = makeApiKey();
  const record = apiKeyRecord.parse({
    id,
    ...grant,
    hash: hashOf(key).toString('hex'),
    createdAt: new Date(clock()).toISOString(),
    revokedAt: null,
  });
  return { key, record };
}

/** A key of somebody who works with a tenant, as the control topic takes it: see `issueApiKey`. */
export function issueRoleKey(
  { role, ...grant }: { tenant: string; role: Role; name: string },
  clock?: Clock,
): ReturnType<typeof issueApiKey> {
  return issueApiKey({ ...grant, scopes: ROLES[role], agents: ['*'] }, clock);
}

/** The live record among `records` that this key proves, or null. Compares in constant time. */
export function provenRecord(
  records: Pick<ReadonlyMap<string, ApiKeyRecord>, 'get'>,
  key: string,
): ApiKeyRecord | null {
  const record = records.get(parseApiKey(key)?.id ?? '');
  if (record === undefined || record.revokedAt !== null) return null;
  return timingSafeEqual(hashOf(key), Buffer.from(record.hash, 'hex')) ? record : null;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
