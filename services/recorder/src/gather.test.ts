import { expect, test } from 'vitest';
import { gatherInto } from './gather.ts';

/** A flush that the test lets go, one call after the other. */
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

test('the first after a silence waits for nothing', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = gatherInto(flush, { everyMs: 60_000 });
  const done = add('a', false);
  await turns();
  expect(flushed).toEqual([['a']]);
  held[0]?.resolve();
  await done;
});

test('what comes during a flush goes together in the next one', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = gatherInto(flush, { everyMs: 0 });
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

test('what is not urgent keeps its distance to the last flush; what is urgent does not, and takes it along', async () => {
  const { flushed, held, flush } = heldFlush();
  const { add } = gatherInto(flush, { everyMs: 60_000 });
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

test('a flush that fails fails those in it, and only those', async () => {
  const { held, flush } = heldFlush();
  const { add } = gatherInto(flush, { everyMs: 0 });
  const first = add('a', true);
  await turns();
  const second = add('b', true);
  held[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await turns();
  held[1]?.resolve();
  await second;
});
