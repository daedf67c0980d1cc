import { expect, test } from 'vitest';
import { waitUntil } from './wait-until.ts';

const refused = (status: number) => Object.assign(new Error('refused'), { status });

test('looks again if a service is busy, until the time is over', async () => {
  const answers = [() => Promise.reject(refused(503)), async () => null, async () => 'there'];
  expect(await waitUntil('an answer', async () => answers.shift()?.())).toBe('there');
  const waiting = waitUntil('an answer', () => Promise.reject<string>(refused(503)), 1);
  await expect(waiting).rejects.toMatchObject({
    message: expect.stringContaining('in vain for: an answer'),
    cause: { status: 503 },
  });
});

test('throws every other error', async () => {
  const waiting = waitUntil('an answer', () => Promise.reject<string>(refused(403)));
  await expect(waiting).rejects.toMatchObject({ status: 403 });
});
