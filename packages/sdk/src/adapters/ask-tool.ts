/** How the adapters of agent frameworks ask for a tool call. Refusals are values, because each framework reports them in its own way. */
import { findMandateError, type MandateBlockedError, type MandateDeferredError } from '../errors.ts';
import type { Agent, RunningAction } from '../types.ts';

/** A tool call that a framework is about to make. */
export type ToolAsk = {
  tool: string;
  args: unknown;
  /** The run, thread or session that the framework's call id belongs to. Null: no call is asked for twice. */
  scope: string | null;
  /** The framework's id of the call. Absent: the call has none. */
  callId: string | undefined;
  signal?: AbortSignal | undefined;
};

export type ToolAnswer =
  | { kind: 'allowed'; running: RunningAction }
  | { kind: 'deferred'; error: MandateDeferredError }
  | { kind: 'blocked'; error: MandateBlockedError };

/**
 * Asks for a tool call. A call with a scope and an id is the same action in every process. So an approval applies to
 * the call that was asked for, and the call runs once.
 *
 * @throws the reason of the caller's signal
 */
export async function askTool(agent: Agent, ask: ToolAsk): Promise<ToolAnswer> {
  const { tool, args, signal } = ask;
  const { scope, callId } = ask;
  const options = {
    ...(scope === null || callId === undefined ? {} : { runId: scope, callId }),
    ...(signal === undefined ? {} : { signal }),
  };
  try {
    return { kind: 'allowed', running: await agent.start({ type: 'tool_call', tool, args, options }) };
  } catch (thrown) {
    const error = findMandateError(thrown);
    if (error === null) throw thrown;
    return error.name === 'MandateDeferredError'
      ? { kind: 'deferred', error: error as MandateDeferredError }
      : { kind: 'blocked', error: error as MandateBlockedError };
  }
}
