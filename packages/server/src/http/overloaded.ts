import { HttpProblem } from './http-problem.ts';

/**
 * Returns the refusal for a request without room. It also closes the connection, so that the connection takes no
 * room.
 */
export function overloaded(message: string, { remedy = 'Try again in a moment.' } = {}): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', message, {
    remedy,
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
