/**
 * The life of one call of an agent: CREATED (create-action.ts) → AUTHORIZED (authorize.ts) → EXECUTING → SETTLED. A call
 * that may not run ends as an error before anything runs. Tools and adapters of frameworks all start their calls here.
 */
import type { Action, Decision, Outcome } from '@mandate/schemas';
import { actionOf, authorize } from './authorize.ts';
import { copyOf, createAction, nameOf } from './create-action.ts';
import type { DecisionPoint } from './decision-point.ts';
import { findMandateError, MandateBlockedError } from './errors.ts';
import type { BlockCode, Call, Kill, RunningAction, RunningOutcome, Validate } from './types.ts';
import { validateArguments } from './validate-arguments.ts';

/** Gets errors that must not disturb a call, such as an outcome that could not be reported. */
export type OnError = (error: unknown) => void;

export type Starting = { agentId: string; call: Call; point: DecisionPoint; onError: OnError };

/**
 * Returns a call that is allowed and may run now.
 *
 * @throws MandateBlockedError, MandateDeferredError, or the reason of the caller's signal
 */
export async function startAction(starting: Starting): Promise<RunningAction> {
  const { agentId, call, point, onError } = starting;
  const caller = call.options?.signal;
  caller?.throwIfAborted();
  const stop = new AbortController();
  const kills: Kill[] = [];
  let allowed: Decision | null = null;
  // Listens before the decision, so that no kill between the decision and the start is missed.
  const unlisten = point.kills.onKill((kill) => {
    if (kill.agentId !== null && kill.agentId !== agentId) return;
    kills.push(kill);
    if (allowed !== null) stop.abort(killed(kill, allowed));
  });
  try {
    const { action, decision } = await authorized(starting);
    const [kill] = kills;
    if (kill !== undefined || caller?.aborted === true) {
      await report(point, decision, { status: 'cancelled' }, onError);
      throw kill === undefined ? caller?.reason : killed(kill, decision);
    }
    allowed = decision;
    const signal = caller === undefined ? stop.signal : AbortSignal.any([stop.signal, caller]);
    return running({ action, decision, signal, stop, unlisten, point, onError });
  } finally {
    if (allowed === null) unlisten();
  }
}

/** Returns the decision with the action that was decided. An error of the SDK itself blocks the call. */
async function authorized({
  agentId,
  call,
  point,
}: Starting): Promise<{ action: Action; decision: Decision }> {
  try {
    // Without a validator the arguments are copied before anything waits, so a later change has no effect.
    const given = isValidated(call) ? await validated(agentId, call) : call;
    const created = createAction(agentId, given, point.readAction);
    return { action: created.action, decision: await authorize(point, created) };
  } catch (cause) {
    if (findMandateError(cause) !== null) throw cause;
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: `The call could not be decided: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: 'Nothing ran. Tell the operator of the agent. Try again later.',
      action: nameOf(agentId, call),
      decision: null,
      cause,
    });
  }
}

type ValidatedCall = Extract<Call, { type: 'tool_call' }> & { options: { validate: Validate } };

function isValidated(call: Call): call is ValidatedCall {
  return call.type === 'tool_call' && call.options?.validate !== undefined;
}

/** Returns the call with the arguments that its validator made. */
async function validated(agentId: string, call: ValidatedCall): Promise<Call> {
  const named = nameOf(agentId, call);
  return { ...call, args: await validateArguments(copyOf(call.args, named), call.options.validate, named) };
}

type Started = {
  action: Action;
  decision: Decision;
  signal: AbortSignal;
  stop: AbortController;
  unlisten: () => void;
  point: DecisionPoint;
  onError: OnError;
};

function running({ action, decision, signal, stop, unlisten, point, onError }: Started): RunningAction {
  const leaseMs = decision.reservation?.leaseMs ?? 0;
  const timer = setTimeout(() => stop.abort(leaseExpired(decision, leaseMs)), leaseMs);
  // An open request keeps the process alive by itself. A stream that nobody reads must not.
  if (action.type === 'llm_call') (timer as { unref?(): void }).unref?.();
  const release = () => {
    clearTimeout(timer);
    unlisten();
    signal.removeEventListener('abort', release);
  };
  signal.addEventListener('abort', release, { once: true });
  let settled: Promise<void> | null = null;
  return {
    action,
    decision,
    signal,
    settle(outcome) {
      if (settled !== null) return settled;
      // Nobody knows how far an aborted call came. Without a report its reservation stays charged.
      const isUnknown = signal.aborted && outcome.status !== 'success';
      if (isUnknown) return Promise.resolve();
      // The call has finished, so an abort while its outcome is reported must not hide the result.
      release();
      settled = report(point, decision, outcome, onError);
      return settled;
    },
  };
}

/** Reports the outcome. A report that fails must not hide the result of the call. */
async function report(
  point: DecisionPoint,
  { actionId, attempt, agentId, type }: Decision,
  outcome: RunningOutcome,
  onError: OnError,
): Promise<void> {
  try {
    const whole: Outcome = { actionId, attempt, agentId, ...outcome };
    await point.settle(whole, type);
  } catch (error) {
    onError(error);
  }
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
