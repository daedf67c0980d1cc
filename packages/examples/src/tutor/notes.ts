/** Notes in categories, in a relational store: SQLite. */
import { DatabaseSync } from 'node:sqlite';
import type { MemoryFacts, MemoryTarget } from '@mandate/sdk';

type Note = { category: string; content: string; expiresAt: string | null };

export function openNotes(path = ':memory:') {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE category (path TEXT PRIMARY KEY) STRICT;
    CREATE TABLE note (
      id INTEGER PRIMARY KEY, category TEXT NOT NULL REFERENCES category, content TEXT NOT NULL,
      created_at TEXT NOT NULL, expires_at TEXT
    ) STRICT`);
  const statement = (sql: string) => database.prepare(sql);
  return {
    async facts(id: string): Promise<MemoryFacts | null> {
      const row = statement('SELECT * FROM note WHERE id = ?').get(id);
      if (row === undefined) return null;
      const {
        category,
        content,
        created_at: createdAt,
        expires_at: expiresAt,
      } = row as Record<string, string>;
      return {
        category: String(category),
        content: String(content),
        createdAt: String(createdAt),
        expiresAt: expiresAt ?? null,
      };
    },
    async categories(): Promise<string[]> {
      return statement('SELECT path FROM category')
        .all()
        .map(({ path }) => String(path));
    },
    async createCategory(path: string): Promise<void> {
      statement('INSERT INTO category VALUES (?)').run(path);
    },
    async create({ category, content, expiresAt }: Note): Promise<string> {
      const added = statement('INSERT INTO note VALUES (NULL, ?, ?, ?, ?)');
      const { lastInsertRowid } = added.run(category, content, new Date().toISOString(), expiresAt);
      return String(lastInsertRowid);
    },
    async move(id: string, { category, expiresAt }: MemoryTarget): Promise<void> {
      statement('UPDATE note SET category = ?, expires_at = ? WHERE id = ?').run(category, expiresAt, id);
    },
    async delete(id: string): Promise<void> {
      statement('DELETE FROM note WHERE id = ?').run(id);
    },
  };
}
