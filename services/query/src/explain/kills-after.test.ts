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

const TOLD = 'if the answer had not been delivered by then, the agent got BLOCK with AGENT_KILLED.';

test.each([
  ['a kill just after the decision', flip(16, 11), ['This agent was killed 16 ms later']],
  ['a kill of its tenant', flip(2_000, 11, { scope: 'tenant' }), ['Its tenant was killed 2 s later']],
  [
    'a kill of everything, with no sequence in its event',
    flip(1, null, { scope: 'all' }),
    ['Every agent was killed 1 ms later'],
  ],
  [
    'a kill that another clock dates before the decision',
    flip(-5, 11),
    ['This agent was killed at once after it'],
  ],
  ['no kill with a lower sequence and a later date', flip(5, 9), []],
  [
    'a kill of another epoch, by its date',
    flip(5, 9, { ledgerEpoch: 'before' }),
    ['This agent was killed 5 ms later'],
  ],
  ['no kill before the decision', flip(-1, null), []],
  ['a kill at the end of the longest wait', flip(CAPS.waitMs, 11), ['This agent was killed 1 min later']],
  ['no kill after the longest wait', flip(CAPS.waitMs + 1, 11), []],
  ['no revive', flip(16, null, { event: 'agent.revived' }), []],
] as const)('after an ALLOW, finds %s', (_what, event, expected) => {
  expect(killsAfter([event], ALLOWED).map(({ words }) => words)).toEqual(
    expected.map((words) => `${words}: ${TOLD}`),
  );
});

test('lists the earliest kill first, and no kill for a refusal', () => {
  const kills = [flip(30, 13), flip(20, null, { event: 'agent.revived' }), flip(10, 11)];
  expect(killsAfter(kills, ALLOWED).map(({ ledgerSequence }) => ledgerSequence)).toEqual([11, 13]);
  expect(killsAfter(kills, { ...ALLOWED, verdict: 'BLOCK' })).toEqual([]);
});
