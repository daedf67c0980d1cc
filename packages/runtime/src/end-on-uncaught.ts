import type { EventEmitter } from 'node:events';
import { requestInHand } from './request-scope.ts';

/**
 * What becomes of an exception or a rejection that nothing caught. The exception of a request ends that request. Any other
 * one ends the process: the state is then unknown, and the log decides what is left to do.
 *
 * @param end ends the process
 * @returns takes the listener away again
 */
export function endOnUncaught(process: EventEmitter, end: (error: unknown) => void): () => void {
  const onUncaught = (error: unknown) => {
    const request = requestInHand();
    if (request === null) end(error);
    else request.fail(error);
  };
  // Node hands rejections over as well, by its default of `--unhandled-rejections=throw`.
  process.on('uncaughtException', onUncaught);
  return () => process.off('uncaughtException', onUncaught);
}
