/**
 * An error of operation. It is never used for a denial, see `Decision` in @mandate/schemas. `code` is stable and
 * documented in docs/errors.md. `retryable` says whether the same call may succeed later. `message` says what went
 * wrong. `remedy` says what to do.
 */
export class MandateError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly remedy: string;

  constructor(
    code: string,
    message: string,
    facts: { remedy: string; retryable?: boolean; cause?: unknown },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'MandateError';
    this.code = code;
    this.retryable = facts.retryable ?? false;
    this.remedy = facts.remedy;
  }
}

export function isMandateError(error: unknown, code?: string): error is MandateError {
  return error instanceof MandateError && (code === undefined || error.code === code);
}
