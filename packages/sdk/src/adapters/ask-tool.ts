/**
 * Requests the decision about a tool call, for the adapters of agent frameworks. Refusals are values, because each
 * framework reports them in its own way.
 */
import { findMandateError, type MandateBlockedError, type MandateDeferredError } from '../errors.ts';
import type { Agent, RunningAction } from '../types.ts';

/** A tool call that a framework is about to make. */
export type ToolAsk = {
  tool: string;
  args: unknown;
  /**
   * The run, thread or session that the call id belongs to. Null if there is no run. Then each request is another call.
   */
  runId: string | null;
  /** The framework's id of the call. Absent if the call has no id. */
  callId: string | undefined;
  signal?: AbortSignal | undefined;
};

export type ToolAnswer =
  | { kind: 'allowed'; running: RunningAction }
  | { kind: 'deferred'; error: MandateDeferredError }
  | { kind: 'blocked'; error: MandateBlockedError };

/**
 * Requests the decision about a tool call. A call with a run and an id is the same action in every process. So an
 * approval applies to exactly this call, and the call runs once.
 *
 * @throws the reason of the caller's signal
 */
export async function askTool(
  agent: Agent,
  { tool, args, runId, callId, signal }: ToolAsk,
): Promise<ToolAnswer> {
  const options = {
    ...(runId === null || callId === undefined ? {} : { runId, callId }),
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    return { kind: 'allowed', running: await agent.start({ type: 'tool_call', tool, args, options }) };
  } catch (thrown) {
    const error = findMandateError(thrown);
    if (error === null) throw thrown;
    return error.code === 'APPROVAL_REQUIRED' ? { kind: 'deferred', error } : { kind: 'blocked', error };
  }
}
