import type { Outcome } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { OutcomeQueue } from './outcome-queue.ts';

test.each([
  [1, 'Lost outcomes: 1, from act_1 on: the instance was closed.'],
  [2, 'Lost outcomes: 2, from act_1 on: the instance was closed.'],
])('says in a sentence that %i waiting outcomes are lost', (count, message) => {
  const errors: unknown[] = [];
  const receiver = {
    name: 'the plane',
    closed: new AbortController().signal,
    take: () => new Promise<never>(() => {}),
  };
  const queue = new OutcomeQueue<Outcome>(receiver, (error) => errors.push(error));
  for (let number = 1; number <= count; number += 1) {
    queue.add({ actionId: `act_${number}`, attempt: 1, agentId: 'bot', status: 'success' });
  }
  queue.close();
  expect(errors).toMatchObject([{ code: 'OUTCOMES_LOST', message }]);
  expect(queue.counts().lost).toBe(count);
});
