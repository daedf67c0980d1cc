import { HttpProblem } from '@mandate/server';

/**
 * The problem of a command that the ledger has carried out, and the log has not recorded yet. `extension` is the
 * answer that the caller would have got.
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
