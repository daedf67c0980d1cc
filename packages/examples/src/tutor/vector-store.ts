/**
 * A vector store that runs embedded: sqlite-vec in SQLite. The store and the owner of a memory are partition keys, and
 * its expiry is a column of the index. So the nearest memories are chosen among those that may be read. If memories were
 * filtered after the search, near memories of other people would take the places of results.
 */
import { DatabaseSync } from 'node:sqlite';
import type { MemorySearch, Save } from '@mandate/sdk';
import { load } from 'sqlite-vec';
import { DIMENSIONS, hashedNgrams } from './embedding.ts';

/** sqlite-vec finds at most this many neighbours. */
const MOST_RESULTS = 4_096;

/** Columns of the index cannot be null, so this time means that a memory never expires. */
const NEVER = BigInt(Number.MAX_SAFE_INTEGER);

export function openVectorStore(path = ':memory:') {
  const database = new DatabaseSync(path, { allowExtension: true });
  load(database);
  database.enableLoadExtension(false);
  database.exec(`
    CREATE VIRTUAL TABLE memory USING vec0(
      store TEXT PARTITION KEY, user_id TEXT PARTITION KEY, expires_at INTEGER,
      embedding FLOAT[${DIMENSIONS}] DISTANCE_METRIC=cosine, +text TEXT
    )`);
  const insert = database.prepare(
    'INSERT INTO memory (store, user_id, expires_at, embedding, text) VALUES (?, ?, ?, ?, ?)',
  );
  const nearest = `
    SELECT text FROM memory
    WHERE embedding MATCH :query AND k = :most AND store = :store AND expires_at > :now`;
  const ofEverybody = database.prepare(nearest);
  const ofOwner = database.prepare(`${nearest} AND user_id = :owner`);

  return {
    /** Carries out a save that was decided. */
    save(text: string, { store, owner, expiresAt }: Pick<Save, 'store' | 'owner' | 'expiresAt'>): void {
      const expires = expiresAt === null ? NEVER : BigInt(Date.parse(expiresAt));
      insert.run(store, owner, expires, hashedNgrams(text), text);
    },
    /** Returns the client of one store for `mandate.memory`. */
    client(store: string) {
      return {
        async search({ query, limit, filter }: MemorySearch): Promise<string[]> {
          const asked = {
            query: hashedNgrams(query),
            most: Math.min(limit ?? MOST_RESULTS, MOST_RESULTS),
            store,
            now: BigInt(Date.now()),
          };
          const found =
            filter === null ? ofEverybody.all(asked) : ofOwner.all({ ...asked, owner: filter.user_id });
          return found.map(({ text }) => String(text));
        },
      };
    },
  };
}
