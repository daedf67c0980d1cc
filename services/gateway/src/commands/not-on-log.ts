import { HttpProblem } from '@mandate/server';

/**
 * Returns the problem for a command that is done in the ledger, but not yet recorded on the log. `extension` is the
 * answer to the caller without this problem.
 */
export function notOnLog(
  code: string,
  what: string,
  extension: Readonly<Record<string, unknown>>,
): HttpProblem {
  return new HttpProblem(503, code, `${what} is in force, but not yet on the log`, {
    remedy:
      'Its event is retried until the log takes it. To send the command again, use the same Idempotency-Key, so that it counts once.',
    headers: { 'retry-after': '1' },
    extension,
  });
}
