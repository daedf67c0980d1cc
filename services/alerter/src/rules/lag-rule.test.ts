import { expect, test } from 'vitest';
import { decided, START_MS } from './decided.fixture.ts';
import { only, raisedBy } from './evaluated.fixture.ts';

test('late decisions raise an alert, which clears when decisions are in time again', () => {
  const behind = (n: number, ms: number) =>
    decided(n, { decidedAt: new Date(START_MS + n * 1_000 + ms).toISOString() });
  const history = [behind(1, 29_999), behind(2, 30_000), behind(3, 15_001), behind(4, 15_000)];
  const raised = raisedBy(history, only({ lag: {} }));
  expect(raised.map(({ event, alert }) => [event, alert.tenant, alert.facts.behindMs])).toEqual([
    ['alert.raised', null, 30_000],
    ['alert.cleared', null, 15_000],
  ]);
});
