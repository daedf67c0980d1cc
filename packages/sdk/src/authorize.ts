/** The second step in the life of an action: it is decided. Every refusal becomes an error. */
import type { ActionRequested, Decision } from '@mandate/schemas';
import { CALL_CAPS } from '@mandate/schemas/core';
import { isObject } from './create-action.ts';
import type { DecisionPoint } from './decision-point.ts';
import { MandateBlockedError, MandateDeferredError } from './errors.ts';
import type { ActionOfError, BlockCode, DeferOptions } from './types.ts';

/**
 * A decision, and the time by `performance.now()` before the decision was requested. The lease begins after this time.
 */
type Answer = { decision: Decision; askedAtMs: number };

export type WaitingForPerson = {
  [Name in keyof DeferOptions]?: DeferOptions[Name] | undefined;
} & { signal?: AbortSignal | undefined };

const DEFER_TIMEOUT_MS = 3_600_000;
const MOST_QUESTIONS = 20;

/**
 * Returns the ALLOW of the action. If an earlier attempt of the same action was decided, the next attempt is requested.
 * The ledger allows a further attempt only if the earlier one failed, was refused for now, or lost its lease.
 *
 * @param carriesOut the obligations that the caller carries out. An ALLOW with any other obligation is a BLOCK
 * @throws MandateBlockedError, MandateDeferredError
 */
export async function authorize(
  point: Pick<DecisionPoint, 'decide' | 'settle' | 'approvals'>,
  created: ActionRequested,
  waiting: WaitingForPerson = {},
  carriesOut: readonly string[] = [],
): Promise<Answer> {
  const asked = await decideLatest(point, created);
  const answer = waiting.onDefer === 'wait' ? await decideApproved(point, created, asked, waiting) : asked;
  const { decision } = answer;
  const { verdict, code, reason, remedy } = decision;
  const action = actionOf(decision);
  if (verdict === 'DEFER') throw deferred(decision);
  if (verdict === 'BLOCK')
    throw new MandateBlockedError(code as BlockCode, { reason, remedy, action, decision });
  const unknown = Object.entries(decision.obligations ?? {}).find(
    ([name, value]) => !carriesOut.includes(name) || (name === 'arguments' && !isObject(value)),
  );
  if (unknown === undefined) return answer;
  const { actionId, attempt, agentId } = decision;
  await point.settle({ actionId, attempt, agentId, status: 'cancelled' }, decision.type);
  throw new MandateBlockedError('UNKNOWN_OBLIGATION', {
    reason: `The decision demands "${unknown[0]}", which this SDK cannot do.`,
    remedy: 'Update the SDK, or have the part of the policy that demands it removed.',
    action,
    decision,
  });
}

/**
 * Waits until a person has answered, and requests a decision about the same action again. The new ALLOW uses the
 * approval, which is then spent. Returns the DEFER if no answer comes in time.
 */
async function decideApproved(
  point: Pick<DecisionPoint, 'decide' | 'approvals'>,
  created: ActionRequested,
  asked: Answer,
  { deferTimeoutMs = DEFER_TIMEOUT_MS, onDeferred, signal }: WaitingForPerson,
): Promise<Answer> {
  if (asked.decision.verdict === 'DEFER') onDeferred?.(deferred(asked.decision));
  const untilMs = performance.now() + deferTimeoutMs;
  let answer = asked;
  // An approval that expires unused opens the question again.
  for (let asks = 0; asks < MOST_QUESTIONS && answer.decision.verdict === 'DEFER'; asks += 1) {
    // If the time limit is not a number, the call does not wait.
    const timeoutMs = Math.max(0, untilMs - performance.now()) || 0;
    if (!(await point.approvals.answered(answer.decision, { timeoutMs, signal }))) return answer;
    answer = await decideAttempt(point, created, answer.decision.attempt);
  }
  return answer;
}

async function decideLatest(point: Pick<DecisionPoint, 'decide'>, created: ActionRequested): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await decideAttempt(point, created, attempt);
    const { decision } = answer;
    const first = decision.duplicateOf;
    // The action id belongs to this action only if both requests are equal. If the first decision is about an earlier
    // attempt than this one, no further attempt is allowed now.
    const mayAskNext =
      decision.code === 'DUPLICATE_ACTION' &&
      first?.samePayload === true &&
      first.actionId === created.action.id &&
      first.attempt === attempt &&
      attempt < CALL_CAPS.attempts;
    if (!mayAskNext) return answer;
  }
}

async function decideAttempt(
  point: Pick<DecisionPoint, 'decide'>,
  created: ActionRequested,
  attempt: number,
): Promise<Answer> {
  const askedAtMs = performance.now();
  const asked = attempt === 1 ? created : { ...created, action: { ...created.action, attempt } };
  return { decision: await point.decide(asked), askedAtMs };
}

function deferred(decision: Decision): MandateDeferredError {
  const { reason, remedy } = decision;
  return new MandateDeferredError({ reason, remedy, action: actionOf(decision), decision });
}

/** Returns the action of a decision, as errors show it. */
export function actionOf({ action }: Decision): ActionOfError {
  return action;
}
