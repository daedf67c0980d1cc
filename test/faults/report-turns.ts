/** Loaded into a plane by NODE_OPTIONS. On SIGUSR2 it writes the longest turn since the last time to stderr, in ms of CPU time. */
import { isMainThread } from 'node:worker_threads';
import { watchTurns } from './busiest-turn.ts';

if (isMainThread) {
  let watched = watchTurns();
  process.on('SIGUSR2', () => {
    process.stderr.write(`longest turn: ${watched.busiestMs()}\n`);
    watched = watchTurns();
  });
}
