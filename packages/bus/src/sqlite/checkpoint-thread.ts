import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * The maximum size of the write-ahead log in pages (64 MiB). Above this size, writers wait for a checkpoint that lets
 * the write-ahead log start again from its beginning.
 */
const MAX_PAGES = 16_384;

const db = new DatabaseSync(String(workerData), { timeout: 1_000 });
const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const restart = db.prepare('PRAGMA wal_checkpoint(RESTART)');

parentPort?.on('message', (message) => {
  if (message === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  // If the file is busy, neither checkpoint fails. Each then does a part of the work, and the next checkpoint does
  // the rest.
  if (Number(passive.get()?.log) > MAX_PAGES) restart.get();
  parentPort?.postMessage('done');
});
