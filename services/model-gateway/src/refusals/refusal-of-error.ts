/** Turns the refusal of a call into an answer over HTTP. */
import { MandateError } from '@mandate/runtime';
import { findMandateError, type MandateBlockedError, type MandateDeferredError } from '@mandate/sdk/plane';
import { HttpProblem } from '@mandate/server';

type Refused = MandateBlockedError | MandateDeferredError;

/** Returns the answer to an error of the SDK. Any other error is returned as it is. */
export function refusalOfError(error: unknown): unknown {
  const refused = findMandateError(error);
  if (refused !== null) return refused.decision === null ? undecided(refused) : decided(refused);
  if (!(error instanceof MandateError)) return error;
  return problem(error.retryable ? 503 : 403, error);
}

/** The call was decided, or a kill or the end of its lease stopped it. */
function decided(refused: Refused): HttpProblem {
  const { retryAfterMs, decision, code, reason, remedy } = refused;
  const isDeferred = code === 'APPROVAL_REQUIRED';
  const approvalId = decision?.approvalId ?? null;
  const facts = {
    actionId: decision?.actionId ?? null,
    ...(retryAfterMs !== null && { retryAfterMs }),
    ...(isDeferred && { approvalId }),
  };
  const said = isDeferred
    ? `${remedy} The approval is ${approvalId}. Then send the same request with the same header idempotency-key.`
    : remedy;
  const status = retryAfterMs !== null ? 429 : refused.retryable && !isDeferred ? 503 : 403;
  return new HttpProblem(status, code, reason, { remedy: said, extension: facts });
}

/** The call cannot be stated as an action, or the plane gave no decision. */
function undecided(refused: Refused): HttpProblem {
  const { cause, code, reason, remedy } = refused;
  if (cause instanceof MandateError && code === 'INTERNAL_ERROR')
    return problem(cause.retryable ? 503 : 403, cause);
  return new HttpProblem(code === 'INVALID_ACTION' ? 400 : 403, code, reason, { remedy });
}

function problem(status: number, { code, message, remedy }: MandateError): HttpProblem {
  return new HttpProblem(status, code, message, { remedy });
}
