import { expect, test } from 'vitest';
import { boundSteps } from './bound-steps.ts';
import type { StepWork } from './perform-step.ts';

/** Steps that run until the test ends them. `begun` has their names in the order of their beginning. */
function scene(most: number) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const bounded = boundSteps(async ({ current }) => {
    begun.push(current.step);
    await new Promise<void>((resolve) => ends.set(current.step, resolve));
    return { output: current.step };
  }, most);
  const perform = (step: string, tenant = 'acme', signal = new AbortController().signal) =>
    bounded.perform({ current: { step }, run: { started: { tenant } }, signal } as StepWork);
  const end = async (step: string) => {
    ends.get(step)?.();
    await new Promise(setImmediate);
  };
  return { bounded, begun, perform, end };
}

test('performs no more steps at one time than allowed, and the others in the order in which they came', async () => {
  const { bounded, begun, perform, end } = scene(2);
  const all = ['a', 'b', 'c', 'd'].map((step) => perform(step));
  await new Promise(setImmediate);
  expect([begun, bounded.running(), bounded.waiting()]).toEqual([['a', 'b'], 2, 2]);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const step of ['a', 'c', 'd']) await end(step);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'].map((output) => ({ output })));
  expect([bounded.running(), bounded.waiting()]).toEqual([0, 0]);
});

test('lets tenants take turns, so that a tenant with many runs delays no other', async () => {
  const { begun, perform, end } = scene(1);
  for (const step of ['a1', 'a2', 'a3', 'a4']) void perform(step);
  for (const step of ['b1', 'b2']) void perform(step, 'globex');
  await new Promise(setImmediate);
  for (let ended = 0; ended < 5; ended += 1) await end(begun[ended] ?? '');
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('a step that is cancelled while it waits leaves the queue, and takes no place', async () => {
  const { bounded, begun, perform, end } = scene(1);
  const gone = new AbortController();
  void perform('a');
  const leaving = perform('b', 'acme', gone.signal);
  const last = perform('c');
  gone.abort();
  expect(await leaving).toBeNull();
  expect(bounded.waiting()).toBe(1);
  await end('a');
  expect(begun).toEqual(['a', 'c']);
  await end('c');
  expect(await last).toEqual({ output: 'c' });
});
