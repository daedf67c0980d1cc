import type { Outcome } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { OutcomeQueue, type Receiver } from './outcome-queue.ts';

function queueTo(take: Receiver<Outcome>['take'], closed = new AbortController().signal) {
  const errors: unknown[] = [];
  const receiver = { name: 'the plane', closed, take };
  const queue = new OutcomeQueue<Outcome>(receiver, (error) => errors.push(error));
  const add = (count: number) => {
    for (let number = 1; number <= count; number += 1)
      queue.add({ actionId: `act_${number}`, attempt: 1, agentId: 'bot', status: 'success' });
  };
  return { queue, errors, add };
}

const never = () => new Promise<never>(() => {});

test.each([
  [1, 'Lost outcomes: 1, from act_1 on: the instance was closed.'],
  [2, 'Lost outcomes: 2, from act_1 on: the instance was closed.'],
])('says in a sentence that %i waiting outcomes are lost', (count, message) => {
  const { queue, errors, add } = queueTo(never);
  add(count);
  queue.close();
  expect(errors).toMatchObject([{ code: 'OUTCOMES_LOST', message }]);
  expect(queue.counts().lost).toBe(count);
});

test('sends outcomes again until they are accepted, and reports the delay once', async () => {
  let tries = 0;
  const { queue, errors, add } = queueTo(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no route');
    return tries === 2 ? { kind: 'later', why: 'busy', afterMs: 0 } : { kind: 'taken' };
  });
  add(1);
  await queue.flush({ timeoutMs: 5_000 });
  expect(queue.counts()).toEqual({ written: 1, waiting: 0, spilled: 0, lost: 0 });
  expect(errors).toMatchObject([{ code: 'OUTCOMES_DELAYED' }]);
});

test('loses only the outcome that the receiver refuses, and reports it', async () => {
  const { queue, errors, add } = queueTo(async (batch) =>
    batch.some(({ actionId }) => actionId === 'act_2')
      ? { kind: 'smaller', why: 'it is refused' }
      : { kind: 'taken' },
  );
  add(4);
  await queue.flush({ timeoutMs: 5_000 });
  expect(queue.counts()).toEqual({ written: 3, waiting: 0, spilled: 0, lost: 1 });
  expect(errors).toMatchObject([{ message: 'Lost outcomes: 1, from act_2 on: it is refused.' }]);
});

test('keeps at most 10,000 outcomes, and none after it was closed', () => {
  const full = queueTo(never);
  full.add(10_001);
  expect(full.queue.counts()).toMatchObject({ waiting: 10_000, lost: 1 });
  const closed = queueTo(never, AbortSignal.abort());
  closed.add(1);
  expect(closed.queue.counts()).toMatchObject({ waiting: 0, lost: 1 });
});

test('waits until the outcomes of an agent are delivered', async () => {
  let isTaken = false;
  const { queue, add } = queueTo(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isTaken = true;
    return { kind: 'taken' };
  });
  add(1);
  await queue.delivered('bot', 5_000);
  expect(isTaken).toBe(true);
});
