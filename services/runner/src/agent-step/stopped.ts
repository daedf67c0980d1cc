/** The reason why a step stops before its end, as an error that parts of the step throw. */
import { isMandateError } from '@mandate/runtime';
import { findMandateError } from '@mandate/sdk/plane';
import { ModelFailed } from '../models/model-failed.ts';
import { expiredApproval } from '../plane/expired-approval.ts';
import { ToolUnavailable } from '../tools/tool-errors.ts';
import type { Refused } from './call-event.ts';
import type { AgentStepResult } from './port.ts';
import { withoutCode } from './without-code.ts';

type Stop = Exclude<AgentStepResult, { status: 'completed' }>;
type Failed = Extract<AgentStepResult, { status: 'failed' }>;

export class StepStopped extends Error {
  readonly result: Stop;

  constructor(result: Stop) {
    super(result.status);
    this.name = 'StepStopped';
    this.result = result;
  }
}

export function failed(code: string, message: string, kind: Failed['kind'] = 'permanent'): StepStopped {
  return new StepStopped({ status: 'failed', code, message, kind });
}

/**
 * Returns the meaning of an error for the step. Null: it is not an error of a call, and the caller must throw it.
 *
 * @param subject the call that was made
 */
export function stopOf(
  error: unknown,
  { actionId, tool }: { actionId: string; tool: string | null },
): StepStopped | null {
  if (error instanceof StepStopped) return error;
  const refused = findMandateError(error);
  if (refused !== null) {
    const { code, message, decision, retryAfterMs } = refused;
    if (refused.name === 'MandateDeferredError') {
      const approvalId = decision?.approvalId ?? '';
      return new StepStopped({ status: 'deferred', waiting: [{ approvalId, actionId, tool }] });
    }
    const expired = expiredApproval(refused);
    if (expired !== null)
      return new StepStopped({ status: 'deferred', waiting: [{ ...expired, actionId, tool }] });
    if (code === 'DUPLICATE_ACTION') return new StepStopped({ status: 'superseded', actionId });
    return new StepStopped({
      ...{ status: 'failed', code, message: withoutCode(code, message), kind: kindOf(refused) },
      ...(retryAfterMs !== null && { retryAfterMs }),
    });
  }
  if (error instanceof ModelFailed || error instanceof ToolUnavailable) {
    const { code, message, kind, retryAfterMs } = error;
    return new StepStopped({
      ...{ status: 'failed', code, message, kind },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  if (!isMandateError(error)) return null;
  return failed(error.code, error.message, error.retryable ? 'transient' : 'permanent');
}

/** Returns the stop of a step after a refusal that is final for its action. */
export function stopOfRefusal({ code, text }: Refused): StepStopped {
  return failed(code, withoutCode(code, text), 'hard block');
}

function kindOf({
  code,
  decision,
  retryable,
}: NonNullable<ReturnType<typeof findMandateError>>): Failed['kind'] {
  if (code === 'AGENT_KILLED') return 'hard block';
  if (decision === null) return retryable ? 'transient' : 'permanent';
  // The call was aborted after an ALLOW.
  if (decision.verdict === 'ALLOW') return 'transient';
  return decision.final ? 'hard block' : 'soft block';
}
