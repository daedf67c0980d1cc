import type { DecisionsRecord } from '@mandate/schemas';
import { buildReservation } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { adjusted, decided, logged, sawBudget } from './decided.fixture.ts';
import { brief, evaluatorOn, only, raisedBy } from './evaluated.fixture.ts';

describe('the budget rule', () => {
  const rules = only({ budget: {} });
  const at = (n: number, spentMicros: number, chargedMicros: number, maxMicros = 10_000_000) =>
    decided(n, { checks: [sawBudget(spentMicros, maxMicros)], chargedMicros });
  const levels = (...history: readonly DecisionsRecord[]) =>
    raisedBy(history, rules).map(({ event, alert }) => `${event} ${String(alert.facts.percent)}`);

  test('raises alerts at the thresholds, exact to the micro-dollar', () => {
    expect(levels(at(1, 7_000_000, 999_999))).toEqual([]);
    expect(levels(at(1, 7_000_000, 1_000_000))).toEqual(['alert.raised 80']);
    expect(levels(at(1, 9_999_998, 1))).toEqual(['alert.raised 80']);
    expect(levels(at(1, 9_999_999, 1))).toEqual(['alert.raised 80', 'alert.raised 100']);
  });

  test('compares the largest amounts exactly', () => {
    const max = Number.MAX_SAFE_INTEGER;
    expect(levels(at(1, max - 1, 0, max))).toEqual(['alert.raised 80']);
    expect(levels(at(1, max, 0, max))).toEqual(['alert.raised 80', 'alert.raised 100']);
    // 80 % of the limit is not a whole number. The next smaller whole number is below 80 %.
    const least = Number((BigInt(max) * 80n + 99n) / 100n);
    expect(levels(at(1, least - 1, 0, max))).toEqual([]);
    expect(levels(at(1, least, 0, max))).toEqual(['alert.raised 80']);
  });

  test('raises each threshold once, and again only after spending fell ten points below', () => {
    const hovering = [at(1, 8_000_000, 0), at(2, 7_000_000, 0), at(3, 8_000_000, 0)];
    expect(levels(...hovering)).toEqual(['alert.raised 80']);
    const freed = [at(1, 8_000_000, 0), at(2, 6_999_999, 0), at(3, 8_000_000, 0)];
    expect(levels(...freed)).toEqual(['alert.raised 80', 'alert.cleared 80', 'alert.raised 80']);
    const ids = raisedBy(freed, rules).map(({ alert }) => alert.id);
    expect(new Set(ids).size).toBe(3);
  });

  test('clears when an operator returns money to the budget', () => {
    expect(levels(at(1, 8_000_000, 0), adjusted(2, { spentMicros: 1 }))).toEqual([
      'alert.raised 80',
      'alert.cleared 80',
    ]);
    expect(levels(adjusted(2, { spentMicros: 9_000_000 }))).toEqual([]);
  });

  test('raises alerts for limits on tokens, apart from those for the budget of the same name', () => {
    const evidence = { scope: 'agent', id: 'total', windowMs: null, used: 700, most: 1_000 };
    const calls = (n: number, tokens: number) =>
      decided(n, {
        checks: [sawBudget(0, 10_000_000), { check: 'tokens', result: 'pass', evidence }],
        reservation: buildReservation(0, {
          units: {
            tokens: {
              reserved: tokens,
              settling: { charging: 'SUCCESS_BASED', most: 1_000, releases: null },
              limits: [],
            },
          },
        }),
      });
    expect(levels(calls(1, 99))).toEqual([]);
    const [raised, ...others] = raisedBy([calls(1, 100)], rules);
    expect(others).toEqual([]);
    expect(raised?.alert).toMatchObject({
      message: expect.stringMatching(
        /^The agent limit "total" of \S+ has reached 80 %: 800 of 1000 tokens are used\.$/,
      ),
      facts: { unit: 'tokens', used: 800, most: 1_000, percent: 80 },
    });
    const corrected = adjusted(2, { spentMicros: 1 });
    if (corrected.event !== 'budget.adjusted') throw new Error('an adjustment was expected');
    const { spentMicros: _spent, deltaMicros: _delta, budget, ...adjustment } = corrected.adjustment;
    const ofTokens: DecisionsRecord = {
      ...corrected,
      adjustment: { ...adjustment, budget: { ...budget, unit: 'tokens' }, delta: -799, used: 1 },
    };
    expect(levels(calls(1, 100), corrected)).toEqual(['alert.raised 80']);
    expect(levels(calls(1, 100), ofTokens)).toEqual(['alert.raised 80', 'alert.cleared 80']);
  });

  test('names the owner of the budget by its scope', () => {
    const checks = ['agent', 'principal', 'tenant', 'mandate'].map((scope) =>
      sawBudget(9, 10, { scope, id: 'b' }),
    );
    const mandate = { id: 'm', hash: '', rules: [], policies: [] };
    const action = {
      id: 'a',
      agentId: 'bot',
      type: 'tool_call',
      tool: 't',
      principal: { id: 'u1' },
    } as const;
    expect(
      raisedBy([decided(1, { checks, mandate, action })], rules).map(({ alert }) => alert.subject),
    ).toEqual([
      'agent bot b lifetime m 80',
      'principal u1 b lifetime m 80',
      'tenant  b lifetime m 80',
      'mandate m b lifetime m 80',
    ]);
  });

  test('if mandates with different limits share a counter, each limit raises its alert once', () => {
    const under = (n: number, id: string, maxMicros: number) =>
      decided(n, {
        mandate: { id, hash: '', rules: [], policies: [] },
        checks: [sawBudget(45, maxMicros, { scope: 'tenant', id: 'team' })],
      });
    const history = [1, 2, 3, 4].map((n) => (n % 2 === 0 ? under(n, 'wide', 100) : under(n, 'narrow', 50)));
    expect(brief(raisedBy(history, rules))).toEqual(['alert.raised budget tenant  team lifetime narrow 80']);
  });

  test('a budget of a policy raises one alert, however many mandates use the budget', () => {
    const under = (n: number, id: string) =>
      decided(n, {
        mandate: { id, hash: '', rules: ['r'], policies: ['refunds@1'] },
        checks: [
          { ...sawBudget(45, 50, { scope: 'tenant', id: 'team' }), policy: 'refunds@1' },
          { ...sawBudget(45, 50, { scope: 'mandate', id: 'shared' }), policy: 'refunds@1' },
        ],
      });
    const raised = raisedBy([under(1, 'rules'), under(2, 'mnd_1'), under(3, 'mnd_2')], rules);
    expect(brief(raised)).toEqual([
      'alert.raised budget tenant  team lifetime refunds 80',
      'alert.raised budget mandate refunds shared lifetime refunds 80',
    ]);
  });

  test('a budget raises no alert if it has no limit or a limit of $0', () => {
    const unlimited = decided(1, { checks: [sawBudget(9, 10, { maxMicros: null })] });
    expect(levels(unlimited, at(2, 0, 0, 0))).toEqual([]);
    expect(levels(decided(1, { checks: [{ check: 'budget', result: 'skip' }] }))).toEqual([]);
  });

  test('an older record of another partition changes nothing', () => {
    const evaluator = evaluatorOn(new Alarms(), rules);
    const team = (n: number, spent: number) =>
      decided(n, { agentId: `bot-${n}`, checks: [sawBudget(spent, 100, { scope: 'tenant', id: 'team' })] });
    const raised = [
      ...evaluator.evaluate([logged(team(5, 80), 0, 0)]),
      ...evaluator.evaluate([logged(team(4, 10), 0, 1)]),
      ...evaluator.evaluate([logged(team(6, 81), 1, 1)]),
    ];
    expect(brief(raised).filter((line) => line.includes('budget'))).toEqual([
      'alert.raised budget tenant  team lifetime m 80',
    ]);
  });
});
