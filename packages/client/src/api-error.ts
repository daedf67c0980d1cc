import { SERVICE_NAMES, type Service } from './services.ts';

/**
 * - `refused`: a service answered with a problem document.
 * - `no-route`: a service of the plane answered, but another service has the route.
 * - `not-a-plane`: the answer does not come from a plane.
 * - `unreachable`: the connection failed or was lost.
 * - `timed-out`: the connection was made, but no answer came in time.
 */
export type ApiErrorReason = 'refused' | 'no-route' | 'not-a-plane' | 'unreachable' | 'timed-out';

/** One fault of a request: which record is wrong, and what is wrong with the record. */
export type Fault = { index?: number; line?: number; pointer?: string; detail?: string };

/**
 * The error for a refused request, or for a request without an answer. `message` says what went wrong, `remedy` what
 * to do.
 */
export class ApiError extends Error {
  readonly reason: ApiErrorReason;
  /** The address of the request, and the service that was expected there. */
  readonly url: string;
  readonly service: Service;
  readonly remedy: string;
  /** The HTTP status of the answer. Null if there is no answer. */
  readonly status: number | null;
  /** The stable code of a refusal (docs/errors.md). Null if the reason is not a refusal. */
  readonly code: string | null;
  readonly faults: readonly Fault[];

  constructor(
    reason: ApiErrorReason,
    message: string,
    facts: {
      url: string;
      service: Service;
      remedy: string;
      status?: number;
      code?: string;
      faults?: readonly Fault[];
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.reason = reason;
    this.url = facts.url;
    this.service = facts.service;
    this.remedy = facts.remedy;
    this.status = facts.status ?? null;
    this.code = facts.code ?? null;
    this.faults = facts.faults ?? [];
  }
}

type Asked = { url: string; service: Service };

/** Returns the error for an answer without a success status. */
export function errorOfAnswer(asked: Asked, status: number, answer: unknown): ApiError {
  const problem: Readonly<Record<string, unknown>> =
    typeof answer === 'object' && answer !== null ? { ...answer } : {};
  const { code, detail, remedy, errors } = problem;
  if (typeof code !== 'string' || typeof detail !== 'string') return notAPlane(asked, status);
  if (code === 'NOT_FOUND') return noRoute(asked, status);
  return new ApiError('refused', detail, {
    ...asked,
    status,
    code,
    remedy: typeof remedy === 'string' ? remedy : '',
    faults: Array.isArray(errors) ? errors : [],
  });
}

export function notAPlane(asked: Asked, status?: number): ApiError {
  const said = status === undefined ? 'not with JSON' : `with HTTP status ${status}`;
  return new ApiError(
    'not-a-plane',
    `the server at ${asked.url} is no plane of Mandate: it answered ${said}`,
    {
      ...asked,
      ...(status !== undefined && { status }),
      remedy: 'Correct the address of the plane.',
    },
  );
}

/**
 * Returns the error for a missing route. A plane in one process has all routes, so here another address has the
 * route.
 */
function noRoute(asked: Asked, status: number): ApiError {
  const name = SERVICE_NAMES[asked.service];
  return new ApiError(
    'no-route',
    `the server at ${asked.url} is not the ${name} that this command needs (NOT_FOUND)`,
    {
      ...asked,
      status,
      remedy: `Also give the address of the ${name}.`,
    },
  );
}

export function unreachable(asked: Asked): ApiError {
  return new ApiError('unreachable', `no plane answers at ${asked.url}`, {
    ...asked,
    remedy: 'Start the plane, or correct its address.',
  });
}

export function timedOut(asked: Asked, afterMs: number): ApiError {
  return new ApiError('timed-out', `${asked.url} did not answer within ${afterMs / 1_000} s`, {
    ...asked,
    remedy: `Look at ${asked.url}/readyz.`,
  });
}
