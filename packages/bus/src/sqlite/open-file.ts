import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@mandate/runtime';
import { unavailable } from '../errors.ts';
import { untilFree } from './failure.ts';

/** The version of the schema. A file with a newer version is refused. */
const LAYOUT = 1;

// The tables that exist once for the whole log. Each partition also has its own table (topics.ts). A row of
// `positions` is for one group and one partition: how far the group has committed, the member that has the partition,
// and the epoch that fences earlier members.
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
 * Opens the log's file so that only its owner can read it. Creates the file if it is missing. `NORMAL` survives the
 * death of the process at any moment. `FULL` syncs at every commit, so it also survives a power loss.
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
 * Creates the file with a mode for its owner only, because SQLite would make it readable for everyone. SQLite gives
 * its other files the same mode. An existing file is not opened here, because closing it would drop all locks of this
 * process on it.
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
 * Makes an existing file readable for its owner only. Files of earlier versions and copies may be readable for
 * everyone. A process that does not own the file cannot change the mode.
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
      // Another process may have created the tables while this process waited for the lock. So this is checked again.
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
 * Writes the current layout number again, to test that a write works. In a transaction this needs disk space like any
 * change.
 */
export function writeLayoutAgain(db: DatabaseSync): void {
  db.exec(`PRAGMA user_version = ${LAYOUT}`);
}

function layoutOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}
