import { HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import { mustNotBeHeld } from './hold-refused.ts';
import type { Counts, Held } from './refused-agents.ts';

/** Makes a gateway with this answer to the question whether an agent must wait. Null: no agent must wait. */
function gateway(answer: Held | null) {
  const asked: Counts[] = [];
  const counted: object[] = [];
  const refused = {
    held(_: string, counts: Counts) {
      asked.push(counts);
      return answer;
    },
  };
  const measures = { held: { inc: (labels: object) => counted.push(labels) } };
  return { asked, counted, gateway: { refused, measures } as never };
}

test('counts the actions of each agent of a list', () => {
  const { asked, gateway: free } = gateway(null);
  const actions = ['bot', 'other', 'bot'].map((agentId) => ({ agentId }));
  const counts = new Map([
    ['bot', 2],
    ['other', 1],
  ]);
  expect(mustNotBeHeld(free, 'acme', actions)).toEqual(counts);
  expect(asked).toEqual([counts]);
});

test.each<[Held, object]>([
  [
    { agentId: 'bot', of: 'agent', waitMs: 1_500 },
    { quota: 'refusals', of: 'agent', retryAfterMs: 1_500 },
  ],
  [
    { agentId: 'bot', of: 'tenant', waitMs: Number.POSITIVE_INFINITY },
    { quota: 'refusals', of: 'tenant', retryAfterMs: null },
  ],
])('refuses the list of an agent that must wait: %j', (held, facts) => {
  const { counted, gateway: holding } = gateway(held);
  let problem: unknown;
  try {
    mustNotBeHeld(holding, 'acme', [{ agentId: 'bot' }]);
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(HttpProblem);
  expect(problem).toMatchObject({
    status: 429,
    code: 'TOO_MANY_REFUSALS',
    extension: { agentId: 'bot', ...facts },
  });
  expect(counted).toEqual([{ of: held.of }]);
});
