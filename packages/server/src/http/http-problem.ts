import { STATUS_CODES } from 'node:http';

/** More facts for the caller: `errors` of a validation, `checks` of readiness, and others. */
type Extension = Readonly<Record<string, unknown>>;

/**
 * A refusal that a route throws. The answer is `application/problem+json`. `code` is stable. `message` says what went
 * wrong, and `remedy` says what the caller can do. The caller gets both.
 */
export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly extension: Extension;

  constructor(
    status: number,
    code: string,
    message: string,
    facts: { remedy: string; headers?: Record<string, string>; extension?: Extension; cause?: unknown },
  ) {
    // No stack trace is recorded, because a refusal is not a fault, and a trace would take longer than the refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'HttpProblem';
    this.status = status;
    this.code = code;
    this.remedy = facts.remedy;
    this.headers = facts.headers ?? {};
    this.extension = facts.extension ?? {};
  }
}

/** The body of a refusal or a failure: RFC 9457, with the additional fields code, remedy and request id. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  remedy: string;
  requestId?: string;
  instance?: string;
} & Record<string, unknown>;

/** @param where the request id, and the path without the query, because a query may contain anything */
export function problemDocument(
  problem: HttpProblem,
  where: { requestId?: string; instance?: string } = {},
): ProblemDocument {
  return {
    type: `urn:mandate:problem:${problem.code}`,
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    remedy: problem.remedy,
    ...where,
    ...problem.extension,
  };
}
