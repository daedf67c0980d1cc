import { HttpProblem } from './http-problem.ts';

/** Refuses a request that finds no room. Its connection ends with the answer, so that the connection takes no room either. */
export function overloaded(message: string, { remedy = 'Try again in a moment.' } = {}): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', message, {
    remedy,
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
