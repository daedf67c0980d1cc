/**
 * API keys in a JSON file that only its owner may read: the key store of the embedded mode.
 *
 * The file contains hashes, never keys. It is replaced atomically and checked at least twice a second. So a key that
 * another process revoked stops working within a second. If the file cannot be trusted (others may read it, or it
 * does not parse), no caller is admitted until it is corrected. The last good content may contain a key that is
 * revoked.
 */
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import {
  type Clock,
  MandateError,
  replaceFile,
  sharedByRequests,
  systemClock,
  textOfFile,
  withFileLock,
} from '@mandate/runtime';
import { type ApiKeyRecord, type ApiScope, apiKeyRecord } from '@mandate/schemas';
import { z } from 'zod';
import { provenExpiry, provenRecord } from './api-key-record.ts';
import { parseApiKey } from './key-format.ts';
import type { KeyStore } from './key-store.ts';

const LOOK_AGAIN_MS = 500;

/** A scope of a newer version gives no access here, but stays in the file. The other keys of the file stay valid. */
const someScope = z.custom<ApiScope>(
  (scope) => typeof scope === 'string' && /^[a-z]{1,32}(?::[a-z]{1,32})?$/.test(scope),
);
const storedKey = apiKeyRecord.extend({ scopes: z.array(someScope).min(1) });
const fileSchema = z.strictObject({ version: z.literal(1), keys: z.array(storedKey) });

export type FileKeyStore = KeyStore & {
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Returns the keys of one tenant, including revoked keys. */
  ofTenant(tenant: string): Promise<readonly ApiKeyRecord[]>;
  add(record: ApiKeyRecord): Promise<void>;
  /** Returns the current record, or null if no key has this id. A second revocation keeps the first time. */
  revoke(id: string): Promise<ApiKeyRecord | null>;
};

/**
 * Every call may reject with KEY_FILE_EXPOSED, KEY_FILE_INVALID or KEY_FILE_LOCKED.
 *
 * @param path the JSON file. If it does not exist there are no keys, and `add` creates it
 * @param options.lockWaitMs how long a change waits for a change by another process
 */
export function fileKeyStore(
  path: string,
  options: { clock?: Clock; lockWaitMs?: number } = {},
): FileKeyStore {
  const { clock = systemClock, lockWaitMs = 3_000 } = options;
  let known: { version: string; records: Map<string, ApiKeyRecord> } | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let lastChange: Promise<unknown> = Promise.resolve();

  function look(): Map<string, ApiKeyRecord> {
    const stats = statOrNull(path);
    const version =
      stats === null ? 'absent' : `${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.size}`;
    if (known?.version !== version) {
      known = { version, records: stats === null ? new Map() : readRecords(path, stats) };
    }
    lookedAtMs = performance.now();
    return known.records;
  }

  function current(): Map<string, ApiKeyRecord> {
    return known !== null && performance.now() - lookedAtMs < LOOK_AGAIN_MS ? known.records : look();
  }

  /**
   * The changes of this store run one after another. So their order is kept, and only other processes compete for the
   * lock.
   */
  function change<T>(edit: (records: Map<string, ApiKeyRecord>) => T): Promise<T> {
    const changed = lastChange.then(() => changeNow(edit));
    lastChange = changed.catch(() => {});
    return changed;
  }

  async function changeNow<T>(edit: (records: Map<string, ApiKeyRecord>) => T): Promise<T> {
    return withFileLock(path, lockWaitMs, async () => {
      const records = new Map(look());
      const result = edit(records);
      const keys = [...records.values()];
      await replaceFile(path, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
      look();
      return result;
    });
  }

  return sharedByRequests<FileKeyStore>({
    async find(key) {
      const known = provenRecord(current(), key, clock());
      // If a key is unknown, the file is read again, because the key may have just been issued. For text that has not
      // the form of a key, the file is not read.
      if (known !== null || parseApiKey(key) === null) return known;
      return provenRecord(look(), key, clock());
    },
    expiredAt: async (key) => provenExpiry(current(), key, clock()),
    holderOf: async (id) => current().get(id) ?? null,
    list: async () => [...look().values()],
    ofTenant: async (tenant) => [...look().values()].filter((record) => record.tenant === tenant),
    add: (record) =>
      change((records) => {
        // The record is checked first, because an invalid record would make the whole file unreadable.
        records.set(record.id, storedKey.parse(record));
      }),
    revoke: (id) =>
      change((records) => {
        const record = records.get(id);
        if (record === undefined) return null;
        const revoked = { ...record, revokedAt: record.revokedAt ?? new Date(clock()).toISOString() };
        records.set(id, revoked);
        return revoked;
      }),
  });
}

/**
 * Synchronous, so that the call does not need Node's thread pool. Questions to the audit may keep all threads of the
 * pool busy. Then callers with a key would have to wait, even to stop an agent.
 */
function statOrNull(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function readRecords(path: string, stats: BigIntStats): Map<string, ApiKeyRecord> {
  if ((stats.mode & 0o077n) !== 0n) {
    throw new MandateError('KEY_FILE_EXPOSED', `users other than its owner may read or change ${path}`, {
      remedy: `Run: chmod 600 ${path}. Revoke its keys if others have access to this machine.`,
    });
  }
  try {
    const { keys } = fileSchema.parse(JSON.parse(textOfFile(readFileSync(path))));
    return new Map(keys.map((record) => [record.id, record]));
  } catch (cause) {
    throw new MandateError('KEY_FILE_INVALID', `${path} is not a file of API keys`, {
      remedy: 'Restore it from a backup, or move it away and issue new keys.',
      cause,
    });
  }
}
