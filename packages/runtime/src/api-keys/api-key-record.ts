import { createHash, timingSafeEqual } from 'node:crypto';
import { tenant } from '@mandate/schemas';
import { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import { makeApiKey, parseApiKey } from './key-format.ts';

/**
 * publish: send actions and outcomes. audit: read the record. operate: kill, revive, adjust budgets, within the key's
 * tenant. operate:all: what reaches beyond one tenant, such as stopping everything; it does not include operate. persons:
 * read what is sealed of people of the key's tenant, and forget them.
 */
export const API_SCOPES = ['publish', 'audit', 'operate', 'operate:all', 'persons'] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/**
 * What is kept of a key. Not the key: only its SHA-256, which needs no salt and no slow hash, as the secret is 256
 * random bits. `agents` are globs of the agent ids that a publishing key may speak for; `['*']` is all of them.
 */
export const apiKeyRecordSchema = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{12}$/),
  name: z.string().min(1).max(200),
  tenant,
  scopes: z.array(z.enum(API_SCOPES)).min(1),
  agents: z.array(z.string().min(1).max(256)),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.iso.datetime(),
  revokedAt: z.iso.datetime().nullable(),
});
export type ApiKeyRecord = Readonly<z.output<typeof apiKeyRecordSchema>>;

/** Makes a key. The key itself is in the answer and nowhere else: show it once, keep only the record. */
export function issueApiKey(
  grant: { tenant: string; scopes: readonly ApiScope[]; agents: readonly string[]; name: string },
  clock: Clock = systemClock,
): { key: string; record: ApiKeyRecord } {
  const { key, id } = makeApiKey();
  const record = apiKeyRecordSchema.parse({
    id,
    ...grant,
    hash: hashOf(key).toString('hex'),
    createdAt: new Date(clock()).toISOString(),
    revokedAt: null,
  });
  return { key, record };
}

/** The live record among `records` that this key proves, or null. Compares in constant time. */
export function provenRecord(records: ReadonlyMap<string, ApiKeyRecord>, key: string): ApiKeyRecord | null {
  const record = records.get(parseApiKey(key)?.id ?? '');
  if (record === undefined || record.revokedAt !== null) return null;
  return timingSafeEqual(hashOf(key), Buffer.from(record.hash, 'hex')) ? record : null;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
