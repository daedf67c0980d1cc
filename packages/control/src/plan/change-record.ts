/** Makes the record of a change for the control topic. */
import type { ControlRecord } from '@mandate/schemas';
import type { Change } from './change.ts';

/**
 * Returns the record of the change. The record takes effect only if its document has not changed since the plan was
 * made.
 */
export function recordOf(planned: Change, change: Omit<ControlRecord['change'], 'expects'>): ControlRecord {
  const { kind, id, after, revision } = planned;
  const record = { ...whatIsDone(kind, id, after), change: { ...change, expects: revision } };
  return record as ControlRecord;
}

function whatIsDone(kind: Change['kind'], id: string, after: Change['after']) {
  switch (kind) {
    case 'agent':
      return after === null ? { event: 'agent.retired', agentId: id } : { event: 'agent.put', agent: after };
    case 'policy':
      return after === null
        ? { event: 'policy.archived', policyId: id, forced: false }
        : { event: 'policy.published', policy: after };
    case 'rule':
      return after === null ? { event: 'rule.removed', ruleId: id } : { event: 'rule.put', rule: after };
  }
}
