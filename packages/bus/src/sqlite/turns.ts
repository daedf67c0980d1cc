import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * One turn of the event loop each, in the order of asking. Partitions that are catching up at once would otherwise
 * all read within the same turn, and timers and sockets would wait for the sum of it.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
