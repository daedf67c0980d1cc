/**
 * The life of one call of a tool: CREATED (create-action.ts) → AUTHORIZED (authorize.ts) → EXECUTING → SETTLED. A call
 * that may not run ends as an error before the tool is called.
 */
import type { Decision, Outcome } from '@mandate/schemas';
import { actionOf, authorize } from './authorize.ts';
import { type Call, createAction } from './create-action.ts';
import type { DecisionPoint } from './decision-point.ts';
import { findMandateError, MandateBlockedError } from './errors.ts';
import type { BlockCode, Kill, RunOptions, Tool } from './types.ts';

/** Gets errors that must not disturb a call, such as an outcome that could not be reported. */
export type OnError = (error: unknown) => void;

export type Executing = { call: Call; tool: Tool; point: DecisionPoint; onError: OnError };

/**
 * Runs the tool if the call is allowed, and settles the charge by its outcome.
 *
 * @throws MandateBlockedError, MandateDeferredError, or the error of the tool
 */
export async function runAction({ call, tool, point, onError }: Executing): Promise<unknown> {
  call.options.signal?.throwIfAborted();
  const stop = new AbortController();
  const kills: Kill[] = [];
  let allowed: Decision | null = null;
  // Listens before the decision, so that no kill between the decision and the start is missed.
  const unlisten = point.onKill((kill) => {
    if (kill.agentId !== null && kill.agentId !== call.agentId) return;
    kills.push(kill);
    if (allowed !== null) stop.abort(killed(kill, allowed));
  });
  try {
    const { args, decision } = await authorized(call, point);
    allowed = decision;
    const [kill] = kills;
    if (kill !== undefined || call.options.signal?.aborted === true) {
      await report(point, decision, { status: 'cancelled' }, onError);
      throw kill === undefined ? call.options.signal?.reason : killed(kill, decision);
    }
    return await execute({ decision, args, stop, call, tool, point, onError });
  } finally {
    unlisten();
  }
}

/** Returns the decision with the arguments that were decided. An error of the SDK itself blocks the call. */
async function authorized(call: Call, point: DecisionPoint): Promise<{ args: unknown; decision: Decision }> {
  try {
    const created = createAction(call);
    const decision = await authorize(point, created);
    return { args: created.action.args, decision };
  } catch (cause) {
    if (findMandateError(cause) !== null) throw cause;
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: `The call could not be decided: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: 'Nothing ran. Tell the operator of the agent. Try again later.',
      action: { id: call.options.actionId ?? '', agentId: call.agentId, type: 'tool_call', tool: call.tool },
      decision: null,
      cause,
    });
  }
}

type Started = Executing & { decision: Decision; args: unknown; stop: AbortController };

/**
 * Calls the tool with a signal that a kill, the end of the lease or the caller aborts. An abort ends the call at once,
 * even if the tool goes on.
 */
async function execute({ decision, args, stop, call, tool, point, onError }: Started): Promise<unknown> {
  const { options } = call;
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
  const leaseMs = decision.reservation?.leaseMs ?? 0;
  const timer = setTimeout(() => stop.abort(leaseExpired(decision, leaseMs)), leaseMs);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }

  async function work(): Promise<unknown> {
    let result: unknown;
    try {
      result = await tool(args as never, signal);
      // The tool has finished, so an abort while its outcome is reported must not hide the result.
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    } catch (error) {
      // Nobody knows how far an aborted call came. Without a report its reservation stays charged.
      if (!signal.aborted) await report(point, decision, { status: 'failure' }, onError);
      throw error;
    }
    await report(point, decision, { status: 'success', ...actualCost(options, result, onError) }, onError);
    return result;
  }
}

/** Reports the outcome. A report that fails must not hide the result of the tool. */
async function report(
  point: DecisionPoint,
  { actionId, attempt, agentId }: Decision,
  outcome: Pick<Outcome, 'status' | 'actualCostMicros'>,
  onError: OnError,
): Promise<void> {
  try {
    await point.settle({ actionId, attempt, agentId, ...outcome });
  } catch (error) {
    onError(error);
  }
}

/** Returns the actual cost that the caller states. A cost that is no valid amount is not stated, and is an error. */
function actualCost(
  { actualCostMicros: stated }: RunOptions,
  result: unknown,
  onError: OnError,
): Pick<Outcome, 'actualCostMicros'> {
  try {
    const cost = typeof stated === 'function' ? stated(result) : stated;
    if (cost === undefined || cost === null) return {};
    if (Number.isSafeInteger(cost) && cost >= 0) return { actualCostMicros: cost };
    onError(
      new RangeError(`actualCostMicros is ${cost}: it must be a whole number of micro-dollars, 0 or more`),
    );
  } catch (error) {
    onError(error);
  }
  return {};
}

function killed({ reason, agentId }: Kill, decision: Decision): MandateBlockedError {
  const who = agentId === null ? 'Every agent' : 'This agent';
  return stoppedCall('AGENT_KILLED', decision, {
    reason: `${who} was stopped by the kill switch: ${reason}`,
    remedy: 'Stop. An operator may revive the agent.',
  });
}

function leaseExpired(decision: Decision, leaseMs: number): MandateBlockedError {
  return stoppedCall('LEASE_EXPIRED', decision, {
    reason: `The call took longer than its lease of ${leaseMs} ms and was aborted. It may have had an effect.`,
    remedy: 'Check what the call did before you try again. Its reservation stays charged.',
  });
}

function stoppedCall(
  code: BlockCode,
  decision: Decision,
  words: { reason: string; remedy: string },
): MandateBlockedError {
  return new MandateBlockedError(code, { ...words, action: actionOf(decision), decision });
}
