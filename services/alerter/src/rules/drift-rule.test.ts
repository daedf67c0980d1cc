import { expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { DEFAULT_ALERTING } from './alert-rules.ts';
import { START_MS } from './decided.fixture.ts';
import { drifted } from './drift-rule.ts';
import { evaluatorOn } from './evaluated.fixture.ts';

test('drift raises an alert, which clears when a reconciler finds none', () => {
  const evaluator = evaluatorOn(new Alarms(), DEFAULT_ALERTING);
  const clean = {
    driftMicros: 0,
    driftTokens: 0,
    driftToolCalls: 0,
    counters: 3,
    differences: 0,
    doubledActions: 0,
    brokenLaws: 0,
  };
  const tell = (n: number, found: object) =>
    evaluator.raise(drifted('acme', { ...clean, ...found }, START_MS + n))?.event ?? null;
  expect([
    tell(1, {}),
    tell(2, { driftMicros: 10, differences: 1 }),
    tell(3, { driftMicros: 10, differences: 1 }),
    tell(4, {}),
    tell(5, { doubledActions: 1 }),
    tell(6, {}),
    tell(7, { brokenLaws: 1 }),
    tell(8, {}),
    tell(9, { driftToolCalls: 1 }),
  ]).toEqual([
    null,
    'alert.raised',
    null,
    'alert.cleared',
    'alert.raised',
    'alert.cleared',
    'alert.raised',
    'alert.cleared',
    'alert.raised',
  ]);
});
