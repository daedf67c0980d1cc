import type { EventEmitter } from 'node:events';
import { requestInHand } from './request-scope.ts';

/**
 * Handles exceptions and rejections that no code caught. The exception of a request ends only that request. Any other
 * exception ends the process, because the state is then unknown. The next process continues from the log.
 *
 * @param end ends the process
 * @returns removes the listener
 */
export function endOnUncaught(process: EventEmitter, end: (error: unknown) => void): () => void {
  const onUncaught = (error: unknown) => {
    const request = requestInHand();
    if (request === null) end(error);
    else request.fail(error);
  };
  // This also handles rejections, because Node passes them here by its default of `--unhandled-rejections=throw`.
  process.on('uncaughtException', onUncaught);
  return () => process.off('uncaughtException', onUncaught);
}
