import type { Decision } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { decided } from './decided.fixture.ts';
import { brief, only, raisedBy } from './evaluated.fixture.ts';

const denied: Partial<Decision> = {
  verdict: 'BLOCK',
  code: 'ROLE_NOT_ALLOWED',
  events: ['permission_denied'],
};
const HOUR = 3_600;

describe('the rule for events that policies mark', () => {
  const rules = only({ policyEvent: ['permission_denied', 'guardrail_triggered'] });

  test('raises one alert an hour for each agent and event that the file names', () => {
    const history = [
      decided(1, { ...denied, events: ['permission_denied', 'output', 'guardrail_triggered'] }),
      decided(2, denied),
      decided(3, { ...denied, agentId: 'b2' }),
      decided(4, { events: ['tool_invocation'] }),
      decided(5, {}),
      decided(6, { ...denied, kind: 'duplicate', agentId: 'b3' }),
      decided(HOUR, denied),
    ];
    expect(brief(raisedBy(history, rules))).toEqual([
      'alert.raised policy_event bot permission_denied 2026-01-05T09',
      'alert.raised policy_event bot guardrail_triggered 2026-01-05T09',
      'alert.raised policy_event b2 permission_denied 2026-01-05T09',
      'alert.raised policy_event bot permission_denied 2026-01-05T10',
    ]);
  });

  test('names the event and the decision, and contains no text of a user', () => {
    const [raised] = raisedBy([decided(1, denied)], rules);
    expect(raised?.alert.message).toBe('A decision for bot is marked permission_denied: ROLE_NOT_ALLOWED.');
    const names = ['actionId', 'agentId', 'code', 'decisionId', 'event', 'tool'];
    expect(Object.keys(raised?.alert.facts ?? {}).sort()).toEqual(names);
  });

  test('reports the grave events by default, and nothing if it is off', () => {
    const history = [decided(1, { ...denied, events: ['permission_denied', 'output', 'memory_read'] })];
    const subjects = (policyEvent: boolean) => brief(raisedBy(history, only({ policyEvent })));
    expect(subjects(true)).toEqual(['alert.raised policy_event bot permission_denied 2026-01-05T09']);
    expect(subjects(false)).toEqual([]);
  });
});
