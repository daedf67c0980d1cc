import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createFairSemaphore } from './fair-semaphore.ts';

const waited = new AbortController().signal;

/** Starts work that ends when `end` is called. `started` names the work that has begun, in order. */
function working(most: { running: number; waiting: number }) {
  const semaphore = createFairSemaphore(most);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    end: (name: string) => ends.get(name)?.(),
    ask: (tenant: string, name: string, givenUp = waited) =>
      semaphore.run(tenant, givenUp, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      }),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('gives one tenant at most half of the running and of the waiting questions, and refuses more at once', async () => {
  const { ask, started } = working({ running: 4, waiting: 4 });
  for (const n of [1, 2, 3, 4]) void ask('acme', `acme-${n}`);
  await expect(ask('acme', 'acme-5')).rejects.toMatchObject({
    status: 503,
    code: 'OVERLOADED',
    headers: { 'retry-after': '1' },
  });
  void ask('bravo', 'bravo-1');
  void ask('bravo', 'bravo-2');
  await settled();
  expect(started).toEqual(['acme-1', 'acme-2', 'bravo-1', 'bravo-2']);
});

test('limits how many questions wait, however many tenants ask', async () => {
  const { ask } = working({ running: 2, waiting: 2 });
  for (const tenant of ['acme', 'bravo', 'coyote', 'delta']) void ask(tenant, tenant);
  await expect(ask('echo', 'echo')).rejects.toMatchObject({ code: 'OVERLOADED' });
});

test('next runs the longest waiting question of the tenant with the fewest running questions', async () => {
  const { ask, started, end } = working({ running: 4, waiting: 12 });
  for (const name of ['a1', 'a2', 'a3']) void ask('acme', name);
  for (const name of ['b1', 'b2', 'b3']) void ask('bravo', name);
  for (const name of ['c1', 'c2']) void ask('coyote', name);
  await settled();
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  for (const name of ['a1', 'b1', 'c1', 'a2']) {
    end(name);
    await settled();
  }
  expect(started.slice(4)).toEqual(['c1', 'a3', 'c2', 'b3']);
});

test('never runs a question that was given up while it waited, and lets another question wait instead', async () => {
  const { ask, started, end } = working({ running: 2, waiting: 2 });
  const givingUp = new AbortController();
  void ask('acme', 'first');
  const second = ask('acme', 'second', givingUp.signal);
  await expect(ask('acme', 'refused')).rejects.toMatchObject({ code: 'OVERLOADED' });
  givingUp.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  void ask('acme', 'third');
  end('first');
  await settled();
  expect(started).toEqual(['first', 'third']);
});

test('runs other work after some work has failed', async () => {
  const semaphore = createFairSemaphore({ running: 2, waiting: 2 });
  const failing = () => semaphore.run('acme', waited, () => Promise.reject(new Error('failed')));
  for (const _ of [1, 2, 3]) await expect(failing()).rejects.toThrow('failed');
});

test('leaves no listener on the signal, however many questions use the signal', async () => {
  const { ask, end } = working({ running: 2, waiting: 2 });
  const { signal } = new AbortController();
  for (const name of ['first', 'second', 'third']) {
    const asked = ask('acme', name, signal);
    await settled();
    end(name);
    await asked;
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
