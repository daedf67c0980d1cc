/**
 * A file that NODE_OPTIONS loads into a plane. On SIGUSR2 it writes to stderr the longest turn of the event loop
 * since the last signal, in ms of CPU time.
 */
import { isMainThread } from 'node:worker_threads';
import { watchTurns } from '@mandate/testing/busiest-turn';

if (isMainThread) {
  let watched = watchTurns();
  process.on('SIGUSR2', () => {
    process.stderr.write(`longest turn: ${watched.busiestMs()}\n`);
    watched = watchTurns();
  });
}
