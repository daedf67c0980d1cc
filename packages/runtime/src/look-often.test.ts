import { expect, test } from 'vitest';
import { lookOften } from './look-often.ts';

test('looks at once and again, past a look that failed, until stopped', async () => {
  const failures: unknown[] = [];
  const enough = Promise.withResolvers<void>();
  let looks = 0;
  const looking = lookOften(
    1,
    async () => {
      looks++;
      if (looks === 2) throw new Error('once');
      if (looks === 4) enough.resolve();
    },
    (error) => failures.push(error),
  );
  expect(looks).toBe(1);
  await enough.promise;
  expect(failures).toEqual([new Error('once')]);
  looking.stop();
});

test('what fails once it is stopped is nobody’s', async () => {
  const failures: unknown[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  const looking = lookOften(
    1,
    () => promise,
    (error) => failures.push(error),
  );
  looking.stop();
  reject(new Error('late'));
  await promise.catch(() => {});
  await new Promise(setImmediate);
  expect(failures).toEqual([]);
});
