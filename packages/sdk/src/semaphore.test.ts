import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const later = () => performance.now() + 60_000;

/** A task that runs until the test ends it. */
function task() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const it = {
    hasBegun: false,
    end: resolve,
    run: async () => {
      it.hasBegun = true;
      await promise;
    },
  };
  return it;
}

test('runs a bounded number of tasks at one time, in their order', async () => {
  const semaphore = new Semaphore({ running: 2, waiting: 10 });
  const tasks = [task(), task(), task(), task()];
  const ended = tasks.map(({ run }) => semaphore.run(later(), run));
  const begun = () => tasks.map(({ hasBegun }) => hasBegun);
  expect(begun()).toEqual([true, true, false, false]);
  tasks[1]?.end();
  await ended[1];
  expect(begun()).toEqual([true, true, true, false]);
  for (const { end } of tasks) end();
  await Promise.all(ended);
  expect(begun()).toEqual([true, true, true, true]);
});

test('frees the place of a task that fails for the next task', async () => {
  const semaphore = new Semaphore({ running: 1, waiting: 10 });
  const failing = semaphore.run(later(), () => Promise.reject(new Error('the bank is closed')));
  const next = semaphore.run(later(), async () => 'paid');
  await expect(failing).rejects.toThrow('the bank is closed');
  expect(await next).toBe('paid');
  expect(await semaphore.run(later(), async () => 'paid')).toBe('paid');
});

test('refuses a task if too many wait, or if its turn does not come in time', async () => {
  const semaphore = new Semaphore({ running: 1, waiting: 1 });
  const first = task();
  const running = semaphore.run(later(), first.run);
  const late = semaphore.run(performance.now(), async () => 'paid');
  await expect(semaphore.run(later(), async () => 'paid')).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
  await expect(late).rejects.toMatchObject({ code: 'TOO_MANY_CALLS', retryable: true });
  first.end();
  await running;
  expect(await semaphore.run(later(), async () => 'paid')).toBe('paid');
});
