import { expect, test } from 'vitest';
import { killsInForce } from './kill-in-force.ts';

const DECIDED_MS = Date.UTC(2026, 0, 31, 14);

/**
 * Returns the kills in force. `events` are kills and revives as `event scope seconds` or `event scope seconds agent`,
 * newest first. The seconds count from the decision.
 */
function inForce(...events: string[]): string[] {
  const flips = events.map((told) => {
    const [event, scope = null, seconds, agentId = null] = told.split(' ');
    const happenedAt = new Date(DECIDED_MS + Number(seconds) * 1_000).toISOString();
    return { told, event: `agent.${event}`, scope, agentId, happenedAt };
  });
  return killsInForce(flips, DECIDED_MS).map(({ told }) => told);
}

test.each([
  [
    'the newest kill of a scope',
    ['killed agent -1', 'revived agent -2', 'killed agent -3'],
    ['killed agent -1'],
  ],
  ['no kill that was revived', ['revived agent -1', 'killed agent -2'], []],
  [
    'one kill of each scope',
    ['killed all -1', 'killed agent -2', 'revived tenant -3'],
    ['killed agent -2', 'killed all -1'],
  ],
  [
    'a kill that was revived only after the decision',
    ['revived agent 5', 'killed agent -2'],
    ['killed agent -2'],
  ],
  [
    'the next kill, if its date is a moment after the decision',
    ['killed tenant 9', 'killed agent 1', 'revived agent -4'],
    ['killed agent 1'],
  ],
  [
    'one kill of each subtree',
    ['revived subtree -1 top', 'killed subtree -2 lead', 'killed subtree -3 top'],
    ['killed subtree -2 lead'],
  ],
  ['no kill if there is none', [], []],
])('at a refusal, finds %s', (_what, events, expected) => {
  expect(inForce(...events)).toEqual(expected);
});
