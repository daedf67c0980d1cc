/**
 * The life of one call of an agent: CREATED (create-action.ts) → AUTHORIZED (authorize.ts) → EXECUTING → SETTLED. A call
 * that may not run ends as an error before anything runs. Tools and adapters of frameworks all start their calls here.
 */
import { isMandateError } from '@mandate/runtime/errors';
import type { Decision, Outcome } from '@mandate/schemas';
import { ancestorsIn } from '@mandate/schemas/core';
import { actionOf, authorize, type WaitingForPerson } from './authorize.ts';
import { runUntilAborted } from './bounded-wait.ts';
import type { CallKey } from './call-key.ts';
import { copyOf, createAction, nameOf } from './create-action.ts';
import type { DecisionPoint } from './decision-point.ts';
import { callHandler, findMandateError, MandateBlockedError, misused } from './errors.ts';
import type { Allowed, Memo, Taken } from './memo.ts';
import type {
  BlockCode,
  Call,
  DeferOptions,
  Kill,
  OnError,
  RunningAction,
  RunningOutcome,
  Validate,
} from './types.ts';
import { validateArguments } from './validate-arguments.ts';

type Starting = {
  agentId: string;
  call: Call;
  point: DecisionPoint;
  onError: OnError;
  /** The options for calls that a person must approve. The options of a call replace them. */
  deferring?: DeferOptions;
  /** Remembers the decision. Null or absent if the call has no id by which a second request could be recognized. */
  remembered?: { memo: Memo; callKey: CallKey } | null;
};

/**
 * Decides a call that may start later.
 *
 * @throws MandateBlockedError, MandateDeferredError; MandateError SDK_MISUSED
 */
export async function askAction(starting: Starting): Promise<Allowed> {
  const { remembered, agentId } = starting;
  if (!remembered) {
    throw misused(
      'The call has no callId, or no plain JSON as arguments.',
      'State `callId`, so that a later start of the call finds its decision.',
    );
  }
  const allowed = await remembered.memo.ask(agentId, remembered.callKey, () => authorized(starting));
  // The start of the call uses the decided arguments, so the caller gets a copy.
  return { ...allowed, args: structuredClone(allowed.args) };
}

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
  let waiting: AbortController | null = null;
  const withCaller = (own: AbortSignal) => (caller === undefined ? own : AbortSignal.any([own, caller]));
  let allowed: Decision | null = null;
  // Listens before the decision, so that no kill between the decision and the start is missed.
  const onKill = (kill: Kill) => {
    if (allowed !== null) {
      if (stops(kill, agentId, allowed)) stop.abort(killed(kill, allowed));
      return;
    }
    kills.push(kill);
    if (stops(kill, agentId)) waiting?.abort();
  };
  // Most calls wait for no person.
  const signalOfWait = () => {
    waiting ??= new AbortController();
    if (kills.some((kill) => stops(kill, agentId))) waiting.abort();
    return withCaller(waiting.signal);
  };
  const unlisten = point.kills.onKill(onKill, { agentId });
  try {
    const giveBack = async ({ decision, ended }: Taken) => {
      await cancel(point, decision, onError);
      ended({ status: 'cancelled' });
    };
    const taking = take(starting, signalOfWait);
    const waited = caller === undefined ? taking : runUntilAborted(caller, () => taking);
    const taken = await waited.catch((error) => {
      // If the caller has given up, the reservation of a later ALLOW is released. A refused call has no reservation.
      taking.then(giveBack).catch(() => {});
      throw endOfWait(error, { kill: kills.find((kill) => stops(kill, agentId)), caller });
    });
    const { decision } = taken;
    const kill = kills.find((one) => stops(one, agentId, decision));
    const isLate = leftOfLease(taken) <= 0;
    if (kill !== undefined || caller?.aborted === true || isLate) {
      await giveBack(taken);
      if (kill !== undefined) throw killed(kill, decision);
      throw caller?.aborted === true ? caller.reason : answeredLate(decision);
    }
    allowed = decision;
    return running({ ...taken, signal: withCaller(stop.signal), stop, unlisten, point, onError });
  } finally {
    if (allowed === null) unlisten();
  }
}

/** True if the kill stops the agent. Only the decision about a call names the ancestors of the agent. */
function stops({ agentId: target, target: { scope } }: Kill, agentId: string, decision?: Decision): boolean {
  if (target === null || target === agentId) return true;
  return scope === 'subtree' && decision !== undefined && ancestorsIn(decision).includes(target);
}

function leftOfLease({ askedAtMs, decision: { reservation } }: Allowed): number {
  return askedAtMs + (reservation?.leaseMs ?? 0) - performance.now();
}

/** Decides the call, or uses the decision about an earlier request. */
async function take(starting: Starting, signalOfWait: () => AbortSignal): Promise<Taken> {
  const { remembered, agentId, point } = starting;
  if (!remembered) return { ...(await authorized(starting, signalOfWait)), ended: () => {} };
  const { memo, callKey } = remembered;
  const mayMissKill = point.kills.mayMissKills === true && memo.isAsked(callKey);
  if (mayMissKill && (await blocking(starting, () => point.kills.isKilled(agentId))))
    await memo.killed({ agentId });
  return memo.start(agentId, callKey, () => authorized(starting, signalOfWait));
}

/** Returns the result of the work. An error of the SDK itself blocks the call. */
async function blocking<T>({ agentId, call }: Starting, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (findMandateError(cause) !== null) throw cause;
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: `The call could not be decided: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: `Nothing ran. Tell the operator of the agent. ${remedyIn(cause)}`,
      action: nameOf(agentId, call),
      decision: null,
      cause,
    });
  }
}

/** Returns the decision with the action that was decided. */
function authorized(starting: Starting, signalOfWait?: () => AbortSignal): Promise<Allowed> {
  const { agentId, call, point, remembered } = starting;
  const { prices } = point;
  return blocking(starting, async () => {
    // Without a validator, the arguments are copied before anything waits, so a later change of the caller's object has
    // no effect.
    const given = isValidated(call) ? await validated(agentId, call) : call;
    const actionId = remembered ? remembered.memo.actionIdOf(remembered.callKey) : null;
    const { record: created, args } = createAction(agentId, given, point.readAction, actionId);
    if (prices !== undefined) created.action.estimatedCostMicros = prices.estimate(created.action);
    const waiting = deferringOf(starting, signalOfWait);
    const { carriesOut = [] } = call.options ?? {};
    const own = call.type === 'tool_call' ? ['arguments'] : [];
    const answer = authorize(point, created, waiting, [...own, ...carriesOut]);
    if (remembered) await confirmed(answer, remembered);
    const { decision: allowed, askedAtMs } = await answer;
    const defaults = allowed.obligations?.arguments as Allowed['args'] | undefined;
    return { action: created.action, args: { ...defaults, ...args }, decision: allowed, askedAtMs };
  });
}

/** Tells the memo that the ledger remembers the action. Never rejects. */
async function confirmed(
  answer: Promise<{ decision: Decision }>,
  { memo, callKey }: NonNullable<Starting['remembered']>,
): Promise<void> {
  const decision = await answer.then(
    ({ decision }) => decision,
    (error: unknown) => findMandateError(error)?.decision,
  );
  if (decision && isRemembered(decision)) memo.confirm(callKey);
}

/** True if the ledger remembers this action under its action id. */
function isRemembered({ kind, duplicateOf }: Decision): boolean {
  return kind !== 'unremembered' && duplicateOf?.samePayload !== false;
}

/** The options of a call replace those of its instance. */
function deferringOf(
  { call, deferring = {}, onError }: Starting,
  signalOfWait?: () => AbortSignal,
): WaitingForPerson {
  const {
    onDefer = deferring.onDefer,
    deferTimeoutMs = deferring.deferTimeoutMs,
    onDeferred = deferring.onDeferred,
  } = call.options ?? {};
  return {
    onDefer,
    deferTimeoutMs,
    onDeferred: onDeferred && ((question) => void callHandler(onDeferred, question, onError)),
    signal: onDefer === 'wait' ? signalOfWait?.() : undefined,
  };
}

/** Returns the error of a call that waited for a person when it was killed, or when its caller gave up. */
function endOfWait(error: unknown, by: { kill: Kill | undefined; caller: AbortSignal | undefined }): unknown {
  const refused = findMandateError(error);
  if (refused?.code !== 'APPROVAL_REQUIRED' || refused.decision === null) return error;
  if (by.kill !== undefined) return killed(by.kill, refused.decision);
  return by.caller?.aborted ? by.caller.reason : error;
}

type ValidatedCall = Extract<Call, { type: 'tool_call' }> & { options: { validate: Validate } };

function isValidated(call: Call): call is ValidatedCall {
  return call.type === 'tool_call' && call.options?.validate !== undefined;
}

/** Returns the call with the arguments from its validator. */
async function validated(agentId: string, call: ValidatedCall): Promise<Call> {
  const named = nameOf(agentId, call);
  return { ...call, args: await validateArguments(copyOf(call.args, named), call.options.validate, named) };
}

function remedyIn(cause: unknown): string {
  return isMandateError(cause) ? cause.remedy : 'The error is in `cause`.';
}

type Started = Taken & {
  signal: AbortSignal;
  stop: AbortController;
  unlisten: () => void;
  point: DecisionPoint;
  onError: OnError;
};

function running(started: Started): RunningAction {
  const { action, args, decision, ended, signal, stop, unlisten, point, onError } = started;
  const timer = setTimeout(() => stop.abort(leaseExpired(decision)), leftOfLease(started));
  // The work of the call keeps the process alive. The timer must not: a stream may stay unread, and a call may never end.
  (timer as { unref?(): void }).unref?.();
  const release = () => {
    clearTimeout(timer);
    unlisten();
    signal.removeEventListener('abort', onAbort);
  };
  const onAbort = () => {
    release();
    ended(null);
  };
  signal.addEventListener('abort', onAbort);
  let settled: Promise<void> | null = null;
  return {
    action,
    args,
    decision,
    signal,
    settle(outcome) {
      if (settled !== null) return settled;
      // The effect of an aborted call is unknown, unless its cost was measured. Without a report, the reservation of
      // the call stays charged.
      const isMeasured = outcome.usage !== undefined || outcome.actualCostMicros !== undefined;
      const isUnknown = signal.aborted && outcome.status !== 'success' && !isMeasured;
      if (isUnknown) return Promise.resolve();
      // The call has finished, so an abort while its outcome is reported must not hide the result.
      release();
      const { prices } = point;
      const charged = prices === undefined ? outcome : prices.outcomeOf(action, outcome);
      const reported = charged === null ? Promise.resolve() : report(point, decision, charged, onError);
      settled = reported.finally(() => ended(charged));
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

/** Releases the reservation of a call that never ran. */
export function cancel(point: DecisionPoint, decision: Decision, onError: OnError): Promise<void> {
  return report(point, decision, { status: 'cancelled' }, onError);
}

function killed({ reason, agentId }: Kill, decision: Decision): MandateBlockedError {
  const who = agentId === null ? 'Every agent' : 'This agent';
  return stoppedCall('AGENT_KILLED', decision, {
    reason: `${who} was stopped by the kill switch: ${reason}`,
    remedy: 'Stop. An operator may revive the agent.',
  });
}

function answeredLate(decision: Decision): MandateBlockedError {
  return stoppedCall('LEASE_EXPIRED', decision, {
    reason: `${leaseOf(decision)} before the decision arrived. Nothing ran.`,
    remedy: 'Try again.',
  });
}

function leaseExpired(decision: Decision): MandateBlockedError {
  return stoppedCall('LEASE_EXPIRED', decision, {
    reason: `${leaseOf(decision)}, and the call was aborted. It may have had an effect.`,
    remedy: 'Check what the call did before you try again. Its reservation stays charged.',
  });
}

function leaseOf({ reservation }: Decision): string {
  return `The lease of ${reservation?.leaseMs} ms ended`;
}

function stoppedCall(
  code: BlockCode,
  decision: Decision,
  words: { reason: string; remedy: string },
): MandateBlockedError {
  return new MandateBlockedError(code, { ...words, action: actionOf(decision), decision });
}
