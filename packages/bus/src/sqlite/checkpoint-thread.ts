import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this many pages (64 MiB) writers wait for the checkpoint, so that the log starts again. */
const MOST_PAGES = 16_384;

const db = new DatabaseSync(String(workerData), { timeout: 1_000 });
const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const restart = db.prepare('PRAGMA wal_checkpoint(RESTART)');

parentPort?.on('message', (message) => {
  if (message === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  // Either reports that it was busy rather than fail; the next one gets further.
  if (Number(passive.get()?.log) > MOST_PAGES) restart.get();
  parentPort?.postMessage('done');
});
