import { hash, timingSafeEqual } from 'node:crypto';
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

/** Creates a key. Only the result contains the key itself: show it once, and store only the record. */
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
    /** Milliseconds until the key expires. Null or absent: the key does not expire. */
    lastsMs?: number | null;
  },
  clock: Clock = systemClock,
  { key, id }: ReturnType<typeof makeApiKey> = makeApiKey(),
): { key: string; record: ApiKeyRecord } {
  const nowMs = clock();
  const record = apiKeyRecord.parse({
    id,
    ...grant,
    hash: hashOf(key),
    createdAt: new Date(nowMs).toISOString(),
    revokedAt: null,
    ...(lastsMs !== null && { expiresAt: new Date(nowMs + lastsMs).toISOString() }),
  });
  return { key, record };
}

/** Creates a key for a person who works with a tenant, as a record of the control topic. See `issueApiKey`. */
export function issueRoleKey(
  { role, ...grant }: { tenant: string; role: Role; name: string; lastsMs: number | null },
  clock?: Clock,
  made?: ReturnType<typeof makeApiKey>,
): ReturnType<typeof issueApiKey> {
  return issueApiKey({ ...grant, scopes: ROLES[role], agents: ['*'] }, clock, made);
}

type Records = Pick<ReadonlyMap<string, ApiKeyRecord>, 'get'>;

/** Returns the valid record of this key. Null if the key is not valid. Compares in constant time. */
export function provenRecord(records: Records, key: string, nowMs: number): ApiKeyRecord | null {
  const record = unrevoked(records, key);
  return record === null || isExpired(record, nowMs) ? null : record;
}

/** True if the key is the key of this record, and valid. */
export function isValidKey(record: ApiKeyRecord, key: string, nowMs: number): boolean {
  return provenRecord(new Map([[record.id, record]]), key, nowMs) !== null;
}

/** Returns when this key expired. Null if the key is wrong or has not expired. */
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
  return timingSafeEqual(Buffer.from(hashOf(key)), Buffer.from(record.hash)) ? record : null;
}

/**
 * Returns the digest as hex text. A digest in a buffer would be memory outside of V8's heap. Many small buffers of
 * this kind make V8 collect garbage more often.
 */
function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}
