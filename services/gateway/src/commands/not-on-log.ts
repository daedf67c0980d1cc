import { HttpProblem } from '@mandate/server';

/** The ledger did what was asked; its event waits for the log. `extension`: what the caller would have been told. */
export function notOnLog(
  code: string,
  what: string,
  extension: Readonly<Record<string, unknown>>,
): HttpProblem {
  return new HttpProblem(503, code, `${what} is in force, but not yet on the log`, {
    remedy:
      'Its event is tried again until the log takes it. To send the command again, use the same Idempotency-Key, so that it counts once.',
    headers: { 'retry-after': '1' },
    extension,
  });
}
