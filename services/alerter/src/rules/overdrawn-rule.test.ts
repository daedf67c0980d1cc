import { expect, test } from 'vitest';
import { decided, settled } from './decided.fixture.ts';
import { brief, only, raisedBy } from './evaluated.fixture.ts';

test('an agent that overdraws a budget raises an alert, which clears when the agent may spend again', () => {
  const over = { marks: ['OVERDRAWN' as const] };
  const history = [
    settled(1, over),
    settled(2, over),
    decided(3, { verdict: 'BLOCK' }),
    decided(4),
    settled(5, over),
  ];
  expect(brief(raisedBy(history, only({ overdrawn: true })))).toEqual([
    'alert.raised overdrawn bot',
    'alert.cleared overdrawn bot',
    'alert.raised overdrawn bot',
  ]);
});
