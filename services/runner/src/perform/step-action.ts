/**
 * The action of a step: `step.<key>` of the manifest's own agent. It is asked before the step does anything, and its
 * decision is the fence between two runners that hold one run for a moment.
 */

import type { StepResult } from '@mandate/agent-manifest';
import { type Agent, MandateBlockedError, MandateDeferredError } from '@mandate/sdk/plane';
import type { TenantPlane } from '../plane/planes.ts';

export type AskedStep = {
  agent: Agent;
  agentId: string;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** `<run>:<step>:<visit>`: whoever goes on with the run asks for the same action. */
  actionId: string;
  /** True if this runner took the attempt over. Then an ALLOW that another runner got is still valid. */
  isTakenOver: boolean;
  signal: AbortSignal;
};

/** `signal` aborts after a kill, and at the end of the lease. */
export type AllowedStep = {
  signal: AbortSignal;
  settle(status: 'success' | 'failure' | 'cancelled'): Promise<void>;
};

/** Null: another runner performs the step. */
export async function askStep(
  asked: AskedStep,
  { attempts, mandate }: TenantPlane,
): Promise<AllowedStep | StepResult | null> {
  const { agent, agentId, tool, args, actionId, isTakenOver, signal } = asked;
  try {
    const running = await agent.start({ type: 'tool_call', tool, args, options: { actionId, signal } });
    return { signal: running.signal, settle: (status) => running.settle({ status }) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof MandateDeferredError) {
      const { approvalId } = error;
      return { deferred: { what: 'step', waiting: [{ approvalId, agentId, actionId }] } };
    }
    if (!(error instanceof MandateBlockedError)) throw error;
    if (error.code !== 'DUPLICATE_ACTION') return { failure: failureOf(error) };
    if (!isTakenOver) return null;
    const earlier = await attempts.find(agentId, actionId);
    if (earlier === null || !earlier.mayHaveRun) return { failure: failureOf(error) };
    if (await mandate.isKilled(agentId)) return { failure: killed(agentId) };
    const { attempt } = earlier;
    return { signal, settle: (status) => attempts.report([{ agentId, actionId, attempt, status }]) };
  }
}

function failureOf(error: MandateBlockedError) {
  const { code, reason, retryable, retryAfterMs } = error;
  return { code, reason, retryable, retryAfterMs };
}

function killed(agentId: string) {
  const reason = `The agent ${agentId} was stopped by the kill switch.`;
  return { code: 'AGENT_KILLED', reason, retryable: false, retryAfterMs: null };
}
