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

test('the same question at the same time, or shortly later, gets the same answer', async () => {
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

test('another question, tenant or log position gets its own answer', async () => {
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

test('a failure reaches all waiting callers, and the next call asks again', async () => {
  const failed = new Error('away');
  const { ask, shared } = counted(async () => {
    throw failed;
  });
  await Promise.all([1, 2].map(() => expect(shared(one, {})).rejects.toBe(failed)));
  await expect(shared(one, {})).rejects.toBe(failed);
  expect(ask).toHaveBeenCalledTimes(2);
});
