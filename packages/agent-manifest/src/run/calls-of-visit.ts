/** What the log contains about the calls of a visit. */
import type { RunEventOf } from '@mandate/schemas';

/**
 * The events are in the order of the log. `call.resolved`: a person said that the call was not done. `call.retried`: a
 * person retried the run, and the call is made again as another action, because it was refused or its answer was
 * unusable.
 */
export type CallRecord =
  | Omit<RunEventOf<'call.begun'>, Place>
  | Omit<RunEventOf<'call.completed'>, Place>
  | { event: 'call.resolved'; agentId: string; actionId: string; done: false }
  | { event: 'call.retried'; agentId: string; actionId: string };

type Place = 'runId' | 'tenant' | 'at' | 'step' | 'visit' | 'attempt';

type NamedCall = { agentId: string | null; actionId: string | null };

/** The codes of steps that failed because the last answer of the model was unusable. */
const UNUSABLE: ReadonlySet<string> = new Set([
  ...['ANSWER_INVALID', 'ANSWER_TRUNCATED', 'MODEL_REFUSED'],
  ...['OUTPUT_TOO_LARGE', 'REFINEMENTS_EXHAUSTED', 'SCORE_INVALID', 'STATE_INVALID'],
]);

export function isSameCall(one: NamedCall, other: NamedCall): boolean {
  return one.actionId !== null && one.actionId === other.actionId && one.agentId === other.agentId;
}

/** The answer of a call in this visit. Null before the answer. A call that failed without a result has no answer. */
export function answerOf(
  calls: readonly CallRecord[],
  named: NamedCall,
): RunEventOf<'call.completed'>['answer'] | null {
  for (const call of calls) {
    if (call.event === 'call.completed' && call.answer.type !== 'failed' && isSameCall(call, named))
      return call.answer;
  }
  return null;
}

/**
 * Returns the calls that are made again after a person's retry: refused calls, and the last calls of the model if their
 * answers were unusable. All others keep their answers.
 *
 * @param code why the run failed
 */
export function callsToAskAgain(calls: readonly CallRecord[], code: string | null): CallRecord[] {
  const isUnusable = code !== null && UNUSABLE.has(code);
  const again = [...refusedCalls(calls), ...(isUnusable ? lastAnswers(calls) : [])];
  return again
    .filter((call) => !calls.some((later) => later.event === 'call.retried' && isSameCall(later, call)))
    .map(({ agentId, actionId }) => ({ event: 'call.retried', agentId, actionId }));
}

/** A refusal is kept if the model was called after it, because the model may have acted on the refusal. */
function refusedCalls(calls: readonly CallRecord[]): CallRecord[] {
  return calls.filter((call, at) => {
    if (call.event !== 'call.completed' || call.answer.type !== 'refused') return false;
    return !calls.slice(at).some((later) => isBegun(later, 'model') && later.agentId === call.agentId);
  });
}

/** The answers of the model since the last call of a tool. */
function lastAnswers(calls: readonly CallRecord[]): CallRecord[] {
  const last = calls.findLast((call) => isBegun(call, 'model'));
  const ofAgent = calls.filter(({ agentId }) => agentId === last?.agentId);
  const from = ofAgent.findLastIndex((call) => isBegun(call, 'tool')) + 1;
  return ofAgent
    .slice(from)
    .filter((call) => call.event === 'call.completed' && call.answer.type === 'model');
}

function isBegun(call: CallRecord, type: 'model' | 'tool'): boolean {
  return call.event === 'call.begun' && call.call.type === type;
}
