import { expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

/** Makes a flush that ends when the test says so. Each call is ended separately. */
function heldFlush() {
  const flushed: string[][] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const flush = (items: readonly string[]) => {
    flushed.push([...items]);
    const hold = Promise.withResolvers<void>();
    held.push(hold);
    return hold.promise;
  };
  return { flushed, held, flush };
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test('the first item after a pause is flushed at once', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = createGroupCommit(flush, { everyMs: 60_000 });
  const done = add('a', false);
  await turns();
  expect(flushed).toEqual([['a']]);
  held[0]?.resolve();
  await done;
});

test('items that arrive during a flush are flushed together in the next flush', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = createGroupCommit(flush, { everyMs: 0 });
  const first = add('a', false);
  await turns();
  const others = [add('b', false), add('c', true)];
  await turns();
  expect(flushed).toEqual([['a']]);
  held[0]?.resolve();
  await first;
  await turns();
  expect(flushed).toEqual([['a'], ['b', 'c']]);
  held[1]?.resolve();
  await Promise.all(others);
});

test('an item that is not urgent waits for the interval; an urgent item does not wait, and the waiting items are flushed with it', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = createGroupCommit(flush, { everyMs: 60_000 });
  const first = add('a', false);
  await turns();
  held[0]?.resolve();
  await first;
  const patient = add('b', false);
  await turns();
  expect(flushed).toEqual([['a']]);
  const urgent = add('c', true);
  await turns();
  expect(flushed).toEqual([['a'], ['b', 'c']]);
  held[1]?.resolve();
  await Promise.all([patient, urgent]);
});

test('a failed flush fails its own items, and no other items', async () => {
  const { held, flush } = heldFlush();
  const { add } = createGroupCommit(flush, { everyMs: 0 });
  const first = add('a', true);
  await turns();
  const second = add('b', true);
  held[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turns();
  held[1]?.resolve();
  await second;
});
