/** The failure of a step after its work threw an error, or was aborted with an error. */
import { isMandateError } from '@mandate/runtime';
import { withoutCode } from '../agent-step/without-code.ts';

export function failureOfError(error: unknown) {
  const code = isMandateError(error) ? error.code : 'STEP_FAILED';
  const reason = error instanceof Error ? withoutCode(code, error.message) : String(error);
  const retryable = isMandateError(error) && error.retryable;
  return { code, reason, retryable, retryAfterMs: null };
}
