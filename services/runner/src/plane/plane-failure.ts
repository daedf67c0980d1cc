import { ApiError } from '@mandate/client';
import { MandateError } from '@mandate/runtime';

/** Returns the error of a request to the plane. If the plane is away or overloaded, a retry can help. */
export function planeFailure(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, remedy } = error;
  const retryable = status === null || status === 429 || status >= 500;
  return new MandateError('PLANE_UNAVAILABLE', message, { remedy, retryable, cause: error });
}
