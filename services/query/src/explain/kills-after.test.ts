import { CAPS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { killsAfter } from './kills-after.ts';

const DECIDED_MS = Date.UTC(2026, 0, 31, 14);

const ALLOWED = {
  verdict: 'ALLOW',
  decidedAt: new Date(DECIDED_MS).toISOString(),
  ledgerSequence: 10,
  ledgerEpoch: 'ep',
} as const;

const flip = (
  apartMs: number,
  ledgerSequence: number | null,
  { event = 'agent.killed', scope = 'agent' as 'agent' | 'tenant' | 'all', ledgerEpoch = 'ep' } = {},
) => {
  const happenedAt = new Date(DECIDED_MS + apartMs).toISOString();
  return { event, scope, happenedAt, ledgerSequence, ledgerEpoch };
};

const TOLD = 'if the answer had not been handed over by then, the agent was told BLOCK, AGENT_KILLED.';

test.each([
  ['one that came right after', flip(16, 11), ['This agent was killed 16 ms later']],
  ['of its tenant', flip(2_000, 11, { scope: 'tenant' }), ['Its tenant was killed 2 s later']],
  [
    'of everything, whose event does not name its place',
    flip(1, null, { scope: 'all' }),
    ['Every agent was killed 1 ms later'],
  ],
  ['one that is dated earlier by another clock', flip(-5, 11), ['This agent was killed at once after it']],
  ['none that had been before it, and is dated later', flip(5, 9), []],
  [
    'by its date where another epoch counted',
    flip(5, 9, { ledgerEpoch: 'before' }),
    ['This agent was killed 5 ms later'],
  ],
  ['none before it', flip(-1, null), []],
  [
    'the last that somebody may have waited for',
    flip(CAPS.waitMs, 11),
    ['This agent was killed 1 min later'],
  ],
  ['none behind the longest wait', flip(CAPS.waitMs + 1, 11), []],
  ['no revive', flip(16, null, { event: 'agent.revived' }), []],
] as const)('is %s', (_what, event, expected) => {
  expect(killsAfter([event], ALLOWED).map(({ words }) => words)).toEqual(
    expected.map((words) => `${words}: ${TOLD}`),
  );
});

test('lists the earliest kill first, and none for a refusal', () => {
  const kills = [flip(30, 13), flip(20, null, { event: 'agent.revived' }), flip(10, 11)];
  expect(killsAfter(kills, ALLOWED).map(({ ledgerSequence }) => ledgerSequence)).toEqual([11, 13]);
  expect(killsAfter(kills, { ...ALLOWED, verdict: 'BLOCK' })).toEqual([]);
});
