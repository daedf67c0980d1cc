import { expect, test } from 'vitest';
import { poll } from './poll.ts';

test('runs at once and then repeatedly, even after a failed run, until it is stopped', async () => {
  const failures: unknown[] = [];
  const enough = Promise.withResolvers<void>();
  let runs = 0;
  const polling = poll(
    1,
    async () => {
      runs++;
      if (runs === 2) throw new Error('once');
      if (runs === 4) enough.resolve();
    },
    (error) => failures.push(error),
  );
  expect(runs).toBe(1);
  await enough.promise;
  expect(failures).toEqual([new Error('once')]);
  polling.stop();
});

test('reports no failure after it is stopped', async () => {
  const failures: unknown[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  const polling = poll(
    1,
    () => promise,
    (error) => failures.push(error),
  );
  polling.stop();
  reject(new Error('late'));
  await promise.catch(() => {});
  await new Promise(setImmediate);
  expect(failures).toEqual([]);
});
