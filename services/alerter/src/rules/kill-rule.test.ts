import { expect, test } from 'vitest';
import { killed as killRecord } from './decided.fixture.ts';
import { killed } from './kill-rule.ts';

test.each([
  [0, '0 actions were open.'],
  [1, '1 action was open.'],
  [2, '2 actions were open.'],
])('of %i open actions it says so', (openCount, words) => {
  const record = killRecord(1, { scope: 'all' });
  if (record.event !== 'agent.killed') throw new Error('expected a kill');
  record.kill.openCount = openCount;
  expect(killed(record).said).toBe(`Everything was killed by key:ops: it loops. ${words}`);
});
