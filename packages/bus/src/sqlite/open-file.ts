import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@mandate/runtime';
import { unavailable } from '../errors.ts';
import { untilFree } from './failure.ts';

/** The version of the schema. A file from a newer Mandate is refused. */
const LAYOUT = 1;

// Besides these tables each partition has its own table (topics.ts). For one group and partition, a position row
// holds how far the group has committed, which member has the partition, and the epoch that fences earlier holders.
const SCHEMA = `
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    start_offset INTEGER NOT NULL DEFAULT 0,
    end_offset INTEGER NOT NULL DEFAULT 0,
    last_append_ms INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
  ) STRICT;
  CREATE TABLE generations (
    group_name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE members (
    group_name TEXT NOT NULL,
    member TEXT NOT NULL,
    topics TEXT NOT NULL,
    seen_ms INTEGER NOT NULL,
    session_timeout_ms INTEGER NOT NULL,
    process TEXT NOT NULL,
    PRIMARY KEY (group_name, member)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE positions (
    group_name TEXT NOT NULL,
    partition_id INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    owner TEXT,
    epoch INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (group_name, partition_id)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Opens the log's file, readable by its owner only, and makes it if it is missing. `NORMAL` survives the death of the
 * process at any instruction. `FULL` syncs at every commit, so it also survives a loss of power.
 */
export async function openFile(
  path: string,
  synchronous: 'NORMAL' | 'FULL',
  busyWaitMs: number,
  log: Logger,
): Promise<DatabaseSync> {
  makeFolder(dirname(path));
  makeFile(path);
  for (const end of ['', '-wal', '-shm']) keepToOwner(`${path}${end}`, log);
  const db = await untilFree(() => new DatabaseSync(path, { timeout: 0 }), busyWaitMs);
  try {
    await untilFree(() => prepareFile(db, path, synchronous), busyWaitMs);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw unavailable(`${folder} cannot be made for the log`, { cause: error, retryable: false });
  }
}

/**
 * Makes the file with the owner's mode, because SQLite would make it readable for everyone. SQLite gives the files
 * beside it the same mode. An existing file is not even opened here: closing it would drop the locks that this
 * process holds on it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw unavailable(`${path} cannot be made for the log`, { cause: error, retryable: true });
  }
}

/**
 * A file from an earlier Mandate, or a copy, may be readable for everyone. A process that does not own the file
 * cannot change that.
 */
function keepToOwner(path: string, log: Logger): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    log.warn({ err: error, path }, 'others may open the file of the log, and its mode cannot be changed');
  }
}

function prepareFile(db: DatabaseSync, path: string, synchronous: 'NORMAL' | 'FULL'): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get();
  if (mode?.journal_mode !== 'wal') {
    throw unavailable(`${path} cannot hold a log: SQLite refuses write-ahead logging there`, {
      retryable: false,
    });
  }
  db.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_size_limit = 67108864`);
  if (layoutOf(db) === 0) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Another process may have made the tables while this one waited for the lock.
      if (layoutOf(db) === 0) db.exec(`${SCHEMA} PRAGMA user_version = ${LAYOUT}`);
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }
  const layout = layoutOf(db);
  if (layout !== LAYOUT) {
    throw unavailable(`${path} has layout ${layout}; this version reads ${LAYOUT}`, { retryable: false });
  }
}

/**
 * Writes the present layout number again, only to test that a write works. Within a transaction it needs disk space
 * like any change.
 */
export function writeLayoutAgain(db: DatabaseSync): void {
  db.exec(`PRAGMA user_version = ${LAYOUT}`);
}

function layoutOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}
