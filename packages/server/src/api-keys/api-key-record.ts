import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock } from '@mandate/runtime';
import {
  type ApiKeyRecord,
  type ApiScope,
  apiKeyRecord,
  type KeyPins,
  ROLES,
  type Role,
} from '@mandate/schemas';
import { makeApiKey, parseApiKey } from './key-format.ts';

/** Makes a key. Only the answer contains the key itself: show it once, and keep only the record. */
export function issueApiKey(
  {
    lastsMs = null,
    ...grant
  }: {
    tenant: string;
    scopes: readonly ApiScope[];
    agents: readonly string[];
    name: string;
    pins?: KeyPins | undefined;
    /** Null or absent: it does not expire. */
    lastsMs?: number | null;
  },
  clock: Clock = systemClock,
): { key: string; record: ApiKeyRecord } {
  const { key, id } = makeApiKey();
  const nowMs = clock();
  const record = apiKeyRecord.parse({
    id,
    ...grant,
    hash: hashOf(key).toString('hex'),
    createdAt: new Date(nowMs).toISOString(),
    revokedAt: null,
    ...(lastsMs !== null && { expiresAt: new Date(nowMs + lastsMs).toISOString() }),
  });
  return { key, record };
}

/** Makes the key of a person who works with a tenant, in the form of the control topic: see `issueApiKey`. */
export function issueRoleKey(
  { role, ...grant }: { tenant: string; role: Role; name: string; lastsMs: number | null },
  clock?: Clock,
): ReturnType<typeof issueApiKey> {
  return issueApiKey({ ...grant, scopes: ROLES[role], agents: ['*'] }, clock);
}

type Records = Pick<ReadonlyMap<string, ApiKeyRecord>, 'get'>;

/** Returns the valid record that this key proves, or null. Compares in constant time. */
export function provenRecord(records: Records, key: string, nowMs: number): ApiKeyRecord | null {
  const record = unrevoked(records, key);
  return record === null || isExpired(record, nowMs) ? null : record;
}

/** Returns when the proven key expired, or null. */
export function provenExpiry(records: Records, key: string, nowMs: number): string | null {
  const record = unrevoked(records, key);
  return record !== null && isExpired(record, nowMs) ? (record.expiresAt ?? null) : null;
}

export function isExpired({ expiresAt }: Pick<ApiKeyRecord, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

function unrevoked(records: Records, key: string): ApiKeyRecord | null {
  const record = records.get(parseApiKey(key)?.id ?? '');
  if (record === undefined || record.revokedAt !== null) return null;
  return timingSafeEqual(hashOf(key), Buffer.from(record.hash, 'hex')) ? record : null;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
