/**
 * A vector store in SQLite: what was talked about, found by likeness. A program would use the embeddings of a model. This
 * example counts words, so that it runs offline.
 */
import { DatabaseSync } from 'node:sqlite';
import type { MemorySearch, Save } from '@mandate/sdk';

const DIMENSIONS = 256;

export function openVectorStore(path = ':memory:') {
  const database = new DatabaseSync(path);
  database.exec(
    'CREATE TABLE memory (text TEXT NOT NULL, embedding BLOB NOT NULL, user_id TEXT, expires_at TEXT) STRICT',
  );
  database.function('likeness', { deterministic: true }, (one, other) =>
    likeness(one as Uint8Array, other as Uint8Array),
  );
  const insert = database.prepare('INSERT INTO memory VALUES (?, ?, ?, ?)');
  const nearest = database.prepare(`
    SELECT text FROM memory
    WHERE (:user IS NULL OR user_id = :user) AND (expires_at IS NULL OR expires_at > :now)
    ORDER BY likeness(embedding, :query) DESC LIMIT :most`);
  return {
    /** Carries out a save that was decided. */
    save(text: string, { owner, expiresAt }: Pick<Save, 'owner' | 'expiresAt'>): void {
      insert.run(text, embedding(text), owner, expiresAt);
    },
    async search({ query, limit, filter }: MemorySearch): Promise<string[]> {
      const found = nearest.all({
        user: filter?.user_id ?? null,
        now: new Date().toISOString(),
        query: embedding(query),
        most: limit ?? -1,
      });
      return found.map(({ text }) => String(text));
    },
  };
}

function embedding(text: string): Uint8Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 0;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % DIMENSIONS;
    vector[hash] = (vector[hash] ?? 0) + 1;
  }
  return new Uint8Array(vector.buffer);
}

/** Returns the cosine of the angle between two vectors. */
function likeness(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [vectorIn(one), vectorIn(other)];
  const sum = (of: (at: number) => number) => a.reduce((total, _, at) => total + of(at), 0);
  const dot = sum((at) => (a[at] ?? 0) * (b[at] ?? 0));
  const lengths = Math.sqrt(sum((at) => (a[at] ?? 0) ** 2) * sum((at) => (b[at] ?? 0) ** 2));
  return lengths === 0 ? 0 : dot / lengths;
}

/** The bytes are copied, because a vector of floats must begin at a multiple of four. */
function vectorIn(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}
