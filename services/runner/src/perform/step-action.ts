/**
 * The action of a step: `step.<key>` of the manifest's own agent. It is requested before the step does anything. Its
 * decision is the fence between two runners that hold the same run for a moment.
 */

import type { StepResult } from '@mandate/agent-manifest';
import { type Agent, MandateBlockedError, MandateDeferredError } from '@mandate/sdk/plane';
import { expiredApproval } from '../plane/expired-approval.ts';
import type { TenantPlane } from '../plane/planes.ts';

export type AskedStep = {
  agent: Agent;
  agentId: string;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** `<run>:<step>:<visit>`: every runner that continues the run requests the same action. */
  actionId: string;
  /** True if this runner took over the attempt. Then an ALLOW that another runner got is still valid. */
  isTakenOver: boolean;
  /** True if the log says that a person answered the question of the step. */
  isGranted: boolean;
  signal: AbortSignal;
};

/** `signal` aborts after a kill, and at the end of the lease. `isConfirmed`: a person has approved the action. */
export type AllowedStep = {
  signal: AbortSignal;
  isConfirmed: boolean;
  settle(status: 'success' | 'failure' | 'cancelled'): Promise<void>;
};

/** Null: another runner performs the step. */
export async function askStep(
  asked: AskedStep,
  { attempts, mandate }: TenantPlane,
): Promise<AllowedStep | StepResult | null> {
  const { agent, agentId, tool, args, actionId, isTakenOver, isGranted, signal } = asked;
  try {
    const running = await agent.start({ type: 'tool_call', tool, args, options: { actionId, signal } });
    const { signal: ending, decision } = running;
    return {
      ...{ signal: ending, isConfirmed: decision.grantConsumed },
      settle: (status) => running.settle({ status }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof MandateDeferredError) {
      const { approvalId } = error;
      return { deferred: { what: 'step', waiting: [{ approvalId, agentId, actionId }] } };
    }
    if (!(error instanceof MandateBlockedError)) throw error;
    const expired = expiredApproval(error);
    if (expired !== null) return { deferred: { what: 'step', waiting: [{ ...expired, agentId, actionId }] } };
    if (error.code !== 'DUPLICATE_ACTION') return { failure: failureOf(error) };
    if (!isTakenOver) return null;
    if (await mandate.isKilled(agentId)) return { failure: killed(agentId) };
    const attempt = allowedAttempt(error);
    if (attempt === null) return { failure: failureOf(error) };
    return {
      ...{ signal, isConfirmed: isGranted },
      settle: (status) => attempts.report([{ agentId, actionId, attempt, status }]),
    };
  }
}

/** Returns the attempt of another runner that was allowed, as the ledger remembers it. Null: there is none. */
function allowedAttempt({ decision }: MandateBlockedError): number | null {
  const first = decision?.duplicateOf;
  const isSame = first?.samePayload === true && first.actionId === decision?.actionId;
  return isSame && first.verdict === 'ALLOW' ? first.attempt : null;
}

function failureOf(error: MandateBlockedError) {
  const { code, reason, retryable, retryAfterMs } = error;
  return { code, reason, retryable, retryAfterMs };
}

function killed(agentId: string) {
  const reason = `The agent ${agentId} was stopped by the kill switch.`;
  return { code: 'AGENT_KILLED', reason, retryable: false, retryAfterMs: null };
}
