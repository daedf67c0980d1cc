import { describe, expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { decided, logged } from './decided.fixture.ts';
import { brief, evaluatorOn, only, raisedBy } from './evaluated.fixture.ts';

describe('the rule for the first use of a tool', () => {
  const rules = only({ firstUse: true });

  test('raises one alert for each agent, when the tool is allowed', () => {
    const refused = decided(1, { verdict: 'BLOCK', tool: 'refund' });
    const history = [
      refused,
      decided(2, { tool: 'refund' }),
      decided(3, { tool: 'refund' }),
      decided(4, { agentId: 'b2', tool: 'refund' }),
    ];
    expect(brief(raisedBy(history, rules))).toEqual([
      'alert.raised first_use bot refund',
      'alert.raised first_use b2 refund',
    ]);
  });

  test('raises no alert for a tool that was used before alerting began, or while the rule was off', () => {
    const alarms = new Alarms();
    const before = evaluatorOn(alarms, rules, new Map([[0, 1]])).evaluate([logged(decided(1), 0)]);
    expect(before.map(({ alert }) => [alert.rule, alert.quiet, alert.webhooks])).toEqual([
      ['first_use', true, []],
    ]);
    const off = evaluatorOn(alarms, only({})).evaluate([logged(decided(2, { tool: 'refund' }), 1)]);
    expect(off.map(({ alert }) => alert.quiet)).toEqual([true]);
    const later = [
      logged(decided(3), 2),
      logged(decided(4, { tool: 'refund' }), 3),
      logged(decided(5, { tool: 'new' }), 4),
    ];
    expect(brief(evaluatorOn(alarms, rules).evaluate(later))).toEqual(['alert.raised first_use bot new']);
  });
});
