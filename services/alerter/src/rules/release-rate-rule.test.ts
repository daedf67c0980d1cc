import { describe, expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { decided, logged, settled } from './decided.fixture.ts';
import { brief, evaluatorOn, only, raisedBy } from './evaluated.fixture.ts';

describe('the share of money that outcomes release', () => {
  const rules = only({ releaseRate: { percent: 50, leastOutcomes: 2, windowMs: 30_000 } });
  const allowed = (n: number, given = {}) => decided(n, { tool: 'pay', chargedMicros: 100, ...given });
  const cancelled = { status: 'cancelled', deltaMicros: -100, chargedMicros: 0 } as const;
  /** The outcome of the action in decision number `n`. */
  const ended = (n: number, given: Parameters<typeof settled>[1] = {}) =>
    settled(n, { chargedMicros: 100, ...given });
  const twice = (given: Parameters<typeof settled>[1]) => [
    ...[allowed(1), allowed(2)],
    ...[ended(1, given), ended(2, given)],
  ];

  test('raises one alert for an agent and tool, and clears it below half of the threshold', () => {
    const history = [...twice(cancelled), allowed(3), ended(3, cancelled)];
    const raised = raisedBy(history, rules);
    expect(brief(raised)).toEqual(['alert.raised release_rate agent bot pay']);
    expect(raised[0]?.alert.message).toBe(
      'Outcomes of pay that did not succeed gave back, or tried to, $0.0002 of the $0.0002 that bot reserved in 30 s.',
    );
    const others = Array.from({ length: 10 }, (_, at) => at + 4);
    const over = [...history, ...others.flatMap((n) => [allowed(n), ended(n)])];
    expect(brief(raisedBy(over, rules)).at(-1)).toBe('alert.cleared release_rate agent bot pay');
  });

  test.each([
    ['a failed verification', { verified: false, deltaMicros: -100, chargedMicros: 0 }],
    ['a release that was refused', { status: 'failure', marks: ['RELEASE_REFUSED'] }],
  ] as const)('counts the outcome %s', (_, given) => {
    expect(
      brief(raisedBy(twice({ ...given, marks: [...('marks' in given ? given.marks : [])] }), rules)),
    ).toEqual(['alert.raised release_rate agent bot pay']);
  });

  test.each([
    ['a success that cost less than its reservation', { deltaMicros: -90, chargedMicros: 10 }],
    ['an outcome that settles nothing', { ...cancelled, kind: 'repeated' }],
  ] as const)('does not count the outcome %s', (_, given) => {
    expect(raisedBy(twice(given), rules)).toEqual([]);
  });

  test('counts each tool separately', () => {
    const history = [allowed(1), allowed(2, { tool: 'look' }), ended(1, cancelled), ended(2, cancelled)];
    expect(raisedBy(history, rules)).toEqual([]);
  });

  test('adds amounts with a sum above the safe integers', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const history = [1, 2, 3].flatMap((n) => [
      allowed(n, { chargedMicros: most }),
      ended(n, { ...cancelled, deltaMicros: -most }),
    ]);
    const [raised] = raisedBy(history, rules);
    expect(raised?.alert.facts).toMatchObject({ reservedMicros: most, releasedMicros: most });
  });

  test('continues to count after a restart, from earlier records', () => {
    const history = [...twice(cancelled)].map((record, n) => logged(record, n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    evaluator.recall(history.slice(0, 3));
    expect(brief(evaluator.evaluate(history.slice(3)))).toEqual(['alert.raised release_rate agent bot pay']);
  });
});
