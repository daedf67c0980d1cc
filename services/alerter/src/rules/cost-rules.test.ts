import { describe, expect, test } from 'vitest';
import { settled } from './decided.fixture.ts';
import { brief, only, raisedBy } from './evaluated.fixture.ts';

describe('the rule for an actual cost that is too high', () => {
  const rules = only({ excess: true, costPerCall: true, overdrawn: true });

  test('raises one alert a day for each agent and each kind of excess', () => {
    const marks = ['EXCESS_QUARANTINED', 'OVERDRAWN', 'COST_PER_CALL_EXCEEDED'] as const;
    const given = {
      marks: [...marks],
      excessMicros: 5,
      actualCostMicros: 1_000_005,
      chargedMicros: 1_000_000,
    };
    const [raised, ...others] = raisedBy([settled(1, given), settled(2, given)], rules);
    expect(brief(others)).toEqual([
      'alert.raised excess bot 2026-01-05',
      'alert.raised cost_per_call bot 2026-01-05',
    ]);
    expect(brief(raised === undefined ? [] : [raised])).toEqual(['alert.raised overdrawn bot']);
    const [excess, perCall] = others;
    expect(excess?.alert.message).toBe(
      "An action of bot cost more than its cap: $1.00 are charged, and $0.000005 wait for a person's decision.",
    );
    expect(perCall?.alert.message).toBe(
      'An action of bot cost $1.000005, which is more than its maxCostPerCall.',
    );
    const nextDay = settled(86_400, given);
    expect(brief(raisedBy([settled(1, given), nextDay], rules))).toHaveLength(5);
  });
});
