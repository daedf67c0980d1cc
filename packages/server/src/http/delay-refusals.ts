/**
 * Delays the refusals of callers that send too much, while the event loop is busy. A caller that is refused at once
 * sends its next request at once, and each refusal takes time and memory too. So the caller waits about as long as
 * the refusal tells it to wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { turns } from '@mandate/runtime';
import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';
import { mustWait } from './take-turns.ts';

const REFUSED_AFTER_MS = 1_000;
/** The maximum number of refusals that wait. Each holds a socket. Further refusals are sent at once. */
const MOST_WAITING = 5_000;

let waiting = 0;

/** True if the error refuses a caller that sends too much, and the refusal must wait for `refusalIsDue`. */
export function mustBeDelayed(error: unknown, request: FastifyRequest): boolean {
  if (!(error instanceof HttpProblem) || waiting >= MOST_WAITING) return false;
  return (error.status === 429 || error.code === 'OVERLOADED') && mustWait(request);
}

/** Resolves when the refusal may be sent. */
export async function refusalIsDue(): Promise<void> {
  waiting += 1;
  try {
    await sleep(REFUSED_AFTER_MS);
    await turns.next(['refusals']);
  } finally {
    waiting -= 1;
  }
}
