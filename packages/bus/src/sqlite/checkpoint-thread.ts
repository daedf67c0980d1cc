import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Above this many pages (64 MiB) writers wait for the checkpoint, so that the write-ahead log starts again from its
 * beginning.
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
  // Neither fails if the file is busy: they report it, and the next checkpoint gets further.
  if (Number(passive.get()?.log) > MAX_PAGES) restart.get();
  parentPort?.postMessage('done');
});
