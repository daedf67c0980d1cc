import { HttpProblem } from './http-problem.ts';

/** Returns the refusal of a request for which there is no room. The answer closes the connection. */
export function overloaded(message: string, { remedy = 'Try again in a moment.' } = {}): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', message, {
    remedy,
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
