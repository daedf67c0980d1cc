import type { AskAudit } from '@mandate/audit';
import { expect, test, vi } from 'vitest';
import { shareAnswers } from './share-answers.ts';

const FRESH_MS = 400;
const [one, other] = [{}, {}] as [never, never];

function counted(answer: () => Promise<unknown[]> = async () => [{}]) {
  const ask = vi.fn(answer);
  const shared = shareAnswers(ask as unknown as AskAudit, FRESH_MS);
  return { ask, shared: shared as unknown as (question: object, given: object) => Promise<unknown[]> };
}

test('who asks the same at once, or soon after, gets the same answer', async () => {
  vi.useFakeTimers();
  const { ask, shared } = counted();
  const [first, second] = await Promise.all([
    shared(one, { tenant: 'acme' }),
    shared(one, { tenant: 'acme' }),
  ]);
  expect(second).toBe(first);
  await vi.advanceTimersByTimeAsync(FRESH_MS - 1);
  expect(await shared(one, { tenant: 'acme' })).toBe(first);
  await vi.advanceTimersByTimeAsync(1);
  expect(await shared(one, { tenant: 'acme' })).not.toBe(first);
  expect(ask).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

test('other questions, tenants and positions get their own answer', async () => {
  const { ask, shared } = counted();
  const given = { tenant: 'acme', through: [1] };
  await Promise.all([
    shared(one, given),
    shared(other, given),
    shared(one, { ...given, tenant: 'globex' }),
    shared(one, { ...given, through: [2] }),
  ]);
  expect(ask).toHaveBeenCalledTimes(4);
});

test('a failure reaches everybody who waits, and the next one asks anew', async () => {
  const failed = new Error('away');
  const { ask, shared } = counted(async () => {
    throw failed;
  });
  await Promise.all([1, 2].map(() => expect(shared(one, {})).rejects.toBe(failed)));
  await expect(shared(one, {})).rejects.toBe(failed);
  expect(ask).toHaveBeenCalledTimes(2);
});
