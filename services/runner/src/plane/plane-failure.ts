import { ApiError } from '@mandate/client';
import { MandateError } from '@mandate/runtime';

/** Returns the error of a question to the plane. A plane that is away, or has too much to do, can be asked again. */
export function planeFailure(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, remedy } = error;
  const retryable = status === null || status === 429 || status >= 500;
  return new MandateError('PLANE_UNAVAILABLE', message, { remedy, retryable, cause: error });
}
