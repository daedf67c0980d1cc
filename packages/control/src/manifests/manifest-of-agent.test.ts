import { expect, test } from 'vitest';
import { manifestOfAgent } from './manifest-of-agent.ts';
import { published, removed, writing } from './published-manifest.fixture.ts';

test('finds the manifest of an agent, unless the manifest or the agent is gone', () => {
  const { fold, put } = writing();
  put({ event: 'agent.put', agent: { id: 'lone.wolf' } });
  put(published('desk', ['writer', 'judge']));
  put(published('desk.night', ['writer']));
  const of = (agentId: string) => manifestOfAgent(fold.tenant('acme').manifests, agentId);
  expect(['desk.writer', 'desk.night.writer', 'desk', 'desk.night', 'lone.wolf', 'none'].map(of)).toEqual([
    'desk',
    'desk.night',
    null,
    null,
    null,
    null,
  ]);
  put(published('desk', ['writer']));
  expect(of('desk.judge')).toBe(null);
  put(removed('desk'));
  expect(of('desk.writer')).toBe(null);
});
