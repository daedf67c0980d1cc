import { describe, expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { decided, logged } from './decided.fixture.ts';
import { brief, evaluatorOn, only, raisedBy } from './evaluated.fixture.ts';

describe('the share of BLOCK verdicts', () => {
  const rules = only({ blockRate: { percent: 50, leastDecisions: 4, windowMs: 30_000 } });
  const blocked = (n: number, given = {}) => decided(n, { verdict: 'BLOCK', ...given });

  test('raises one alert, and clears it below half of the threshold', () => {
    const history = [
      decided(1),
      decided(2),
      blocked(3),
      blocked(4),
      blocked(5),
      ...[6, 7, 8, 9, 10, 11, 12].map((n) => decided(n)),
    ];
    const [raised, ...none] = raisedBy(history, rules);
    expect([raised?.alert.subject, none]).toEqual(['agent bot', []]);
    expect(raised?.alert.message).toBe('Of 4 decisions for bot in 30 s, 2 were BLOCK.');
    const over = [...history, decided(13)];
    expect(brief(raisedBy(over, rules))).toEqual([
      'alert.raised block_rate agent bot',
      'alert.cleared block_rate agent bot',
    ]);
  });

  test('raises no alert for too few decisions, and does not count repeats', () => {
    expect(raisedBy([blocked(1), blocked(2), blocked(3)], rules)).toEqual([]);
    expect(
      raisedBy(
        [1, 2, 3, 4, 5].map((n) => blocked(n, { kind: 'duplicate' })),
        rules,
      ),
    ).toEqual([]);
  });

  test('does not count decisions from before the window', () => {
    expect(raisedBy([blocked(1), blocked(2), blocked(32), blocked(33)], rules)).toEqual([]);
  });

  test('counts all agents of a tenant, in every partition', () => {
    const perTenant = only({ blockRate: { leastDecisions: 4, windowMs: 30_000, per: 'tenant' } });
    const evaluator = evaluatorOn(new Alarms(), perTenant);
    const raised = [1, 2, 3, 4].flatMap((n) =>
      evaluator.evaluate([logged(blocked(n, { agentId: `bot-${n}` }), 0, n)]),
    );
    expect(brief(raised)).toEqual(['alert.raised block_rate tenant']);
  });

  test('counts a redelivered record once', () => {
    const history = [1, 2].map((n) => logged(blocked(n), n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    expect([...evaluator.evaluate(history), ...evaluator.evaluate(history)]).toEqual([]);
  });

  test('continues to count after a restart, from earlier records', () => {
    const history = [1, 2, 3, 4].map((n) => logged(blocked(n), n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    evaluator.recall(history.slice(0, 3));
    expect(brief(evaluator.evaluate(history.slice(3)))).toEqual(['alert.raised block_rate agent bot']);
  });
});
