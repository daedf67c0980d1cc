import type { ServerResponse } from 'node:http';

/**
 * Calls `leave` when the answer is written or its connection ends. If that happened before, it calls `leave` at once.
 * The event comes only once, and a caller may hang up while its request still waits.
 */
export function whenClosed(answer: ServerResponse, leave: () => void): void {
  if (answer.closed) leave();
  else answer.once('close', leave);
}
