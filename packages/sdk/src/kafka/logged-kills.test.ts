import { expect, test } from 'vitest';
import type { Kill } from '../types.ts';
import type { LoggedKill } from './follow-decisions.ts';
import { LoggedKills } from './logged-kills.ts';

const MOST_REMEMBERED = 10_000;

function scene() {
  const kills = new LoggedKills();
  const heard: Kill[] = [];
  kills.onKill((kill) => heard.push(kill));
  const log = (agentId: string, scope: 'agent' | 'subtree' = 'agent', revision = 1) => {
    const kill: LoggedKill = { target: { scope, tenant: 'default', agentId }, revision, reason: 'runaway' };
    kills.tell(kill, (of) => [`${of}.sub`]);
  };
  return { log, heard, agents: () => heard.map(({ agentId }) => agentId) };
}

test('reports each revision of a kill once, and a kill of a subtree also for the known descendants', () => {
  const { log, agents } = scene();
  log('boss', 'subtree', 2);
  log('boss', 'subtree', 2);
  log('boss', 'subtree', 1);
  log('boss', 'agent');
  expect(agents()).toEqual(['boss', 'boss.sub', 'boss']);
});

test('remembers a bounded number of reported kills, and forgets the oldest', () => {
  const { log, heard } = scene();
  for (let number = 0; number <= MOST_REMEMBERED; number += 1) log(`agent-${number}`);
  heard.length = 0;
  log(`agent-${MOST_REMEMBERED}`);
  log('agent-1');
  expect(heard).toEqual([]);
  log('agent-0');
  expect(heard).toMatchObject([{ agentId: 'agent-0', reason: 'runaway' }]);
});
