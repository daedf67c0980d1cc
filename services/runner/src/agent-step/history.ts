/** The calls of one agent in a step, read from the log of a run. */
import type { BegunCall, CallAnswer, CallEvent } from './call-event.ts';
import type { EarlierOutcome } from './port.ts';

/**
 * `begun`: it is not known whether the call ran. `failed`: it ran without a result. `not done`: a person has said that
 * it was not carried out. `retried`: after a person's retry, another action replaces it.
 */
export type KnownCall = {
  state: 'begun' | 'failed' | 'not done' | 'completed' | 'retried';
  call: BegunCall;
  answer: CallAnswer | null;
};

/** Returns the calls by their action ids, each with its latest state. */
export function callsIn(events: readonly CallEvent[], agentId: string): ReadonlyMap<string, KnownCall> {
  const calls = new Map<string, KnownCall>();
  for (const event of events) {
    if (event.agentId !== agentId) continue;
    const known = calls.get(event.actionId);
    if (event.event === 'call.begun')
      calls.set(event.actionId, { state: 'begun', call: event.call, answer: null });
    else if (known === undefined) continue;
    else if (event.event === 'call.resolved') known.state = 'not done';
    else if (event.event === 'call.retried') known.state = 'retried';
    else {
      known.state = event.answer.type === 'failed' ? 'failed' : 'completed';
      known.answer = event.answer;
    }
  }
  return calls;
}

/**
 * Returns the outcomes that an earlier runner may not have reported, because it ended after the last events. The SDK
 * reports the earlier outcomes of an agent before it requests the agent's next decision. `attempt` is null if a person
 * said that the call was done.
 */
export function unreportedOutcomes(
  events: readonly CallEvent[],
  agentId: string,
): (Omit<EarlierOutcome, 'attempt'> & { attempt: number | null })[] {
  const own = events.filter((event) => event.agentId === agentId);
  const last = own.findLast((event) => event.event === 'call.completed');
  const from = own.findLastIndex(
    (event) => event.event === 'call.begun' && event.actionId === last?.actionId,
  );
  return own.slice(Math.max(0, from)).flatMap((event) => {
    if (event.event !== 'call.completed' || event.outcome === null) return [];
    const { actionId, attempt, outcome } = event;
    return [{ ...outcome, agentId, actionId, attempt }];
  });
}
