import type { ServerResponse } from 'node:http';

/**
 * Calls `leave` when the answer is written or its connection ends. Calls it at once if that has already happened,
 * because the event comes only once, and a caller may hang up while its request still waits.
 */
export function whenClosed(answer: ServerResponse, leave: () => void): void {
  if (answer.closed) leave();
  else answer.once('close', leave);
}
