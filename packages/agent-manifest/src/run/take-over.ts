/** Decides what a runner appends when it takes over a run in the middle of a step. */

import type { CallRecord } from './calls-of-visit.ts';
import type { EventDraft } from './next-of-run.ts';
import type { RunState } from './run-state.ts';

/**
 * Returns the event with which another runner continues. Null if the run is not in the middle of a step. If a tool has
 * effects, and its answer is not on the log, the step becomes uncertain: a person must say whether the call was done.
 */
export function takeOver({ status, current }: RunState): EventDraft | null {
  if (status !== 'running' || current === null || current.phase !== 'performing') return null;
  const { step, visit, attempt, calls } = current;
  const place = { step, visit, attempt };
  const open = new Map<string, Extract<CallRecord, { event: 'call.begun' }>>();
  for (const call of calls) {
    const key = JSON.stringify([call.agentId, call.actionId]);
    if (call.event === 'call.begun') open.set(key, call);
    else open.delete(key);
  }
  for (const { agentId, actionId, call, repeatable } of open.values()) {
    if (call.type === 'tool' && !repeatable)
      return { event: 'step.uncertain', ...place, agentId, actionId, tool: call.tool };
  }
  return { event: 'step.resumed', ...place };
}
