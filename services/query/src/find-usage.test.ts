import { MandateError } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { fakeAudit } from './fake-audit.fixture.ts';
import { createFindUsage } from './find-usage.ts';

const USAGE = { calls: 1, llmMicros: 2, toolMicros: 3, adjustedMicros: 4 };
const { signal: never } = new AbortController();

test('finds the usage of an agent, and nothing of an audit that is away', async () => {
  expect(await createFindUsage(fakeAudit(async () => [USAGE as never]))('acme', 'bot', never)).toEqual(USAGE);
  const away = new MandateError('AUDIT_UNAVAILABLE', 'away', { remedy: 'Wait.', retryable: true });
  const findUsage = createFindUsage(fakeAudit(() => Promise.reject(away)));
  expect(await findUsage('acme', 'bot', never)).toBeNull();
  const broken = createFindUsage(fakeAudit(() => Promise.reject(new TypeError('broken'))));
  await expect(broken('acme', 'bot', never)).rejects.toThrow('broken');
});

test('asks few questions at one time, and finds nothing if too many wait', async () => {
  let running = 0;
  const held: (() => void)[] = [];
  const findUsage = createFindUsage(
    fakeAudit(async () => {
      running += 1;
      await new Promise<void>((resolve) => held.push(resolve));
      return [USAGE as never];
    }),
  );
  const found = Array.from({ length: 60 }, () => findUsage('acme', 'bot', never));
  const refused = await Promise.all(found.slice(52));
  expect(refused).toEqual(refused.map(() => null));
  expect(running).toBe(2);
  const other = findUsage('globex', 'bot', never);
  await expect.poll(() => running).toBe(3);
  const freed = setInterval(() => held.shift()?.());
  try {
    expect(await other).toEqual(USAGE);
    expect(await Promise.all(found.slice(0, 52))).toEqual(Array.from({ length: 52 }, () => USAGE));
  } finally {
    clearInterval(freed);
  }
});

test('a caller that has gone waits for no answer, and its question is given up', async () => {
  const gone = new AbortController();
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const findUsage = createFindUsage(
    fakeAudit((_sql, _params, _row, givenUp) => {
      asked.resolve(givenUp);
      return new Promise(() => {});
    }),
  );
  const found = findUsage('acme', 'bot', gone.signal);
  const givenUp = await asked.promise;
  gone.abort();
  expect(await found).toBeNull();
  expect(givenUp?.aborted).toBe(true);
});
