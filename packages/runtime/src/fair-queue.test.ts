import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Lane } from './fair-queue.ts';

/**
 * Takes `count` items while every lane has waiting items. Each item adds the given cost to its lane. Returns the
 * number of items by lane.
 */
function takings(lanes: readonly { lane: Lane; cost: number }[], count: number): Map<string, number> {
  const queue = new FairQueue<{ lane: Lane; cost: number }>();
  for (const one of lanes) queue.add(one.lane, one);
  const charged = new Map<string, number>();
  for (let taken = 0; taken < count; taken++) {
    const one = queue.take();
    if (one === undefined) throw new Error('nothing waits');
    queue.charge(one.lane, one.cost);
    const name = one.lane.join('/');
    charged.set(name, (charged.get(name) ?? 0) + one.cost);
    queue.add(one.lane, one);
  }
  return charged;
}

test('serves one lane in order of arrival', () => {
  const queue = new FairQueue<number>();
  for (const item of [1, 2, 3]) queue.add(['a'], item);
  expect([queue.size, queue.take(), queue.take(), queue.take(), queue.take(), queue.size]).toEqual([
    3,
    1,
    2,
    3,
    undefined,
    0,
  ]);
});

test('charges neighbouring lanes equally, for any cost of one item', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 6 }), (costs) => {
      const charged = takings(
        costs.map((cost, at) => ({ lane: [`lane ${at}`], cost })),
        500,
      );
      const amounts = [...charged.values()];
      expect(charged.size).toBe(costs.length);
      expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(Math.max(...costs));
    }),
  );
});

test('serves a lane of weight 4 four times as often as a lane of weight 1', () => {
  const queue = new FairQueue<string>(new Map([['deciders', 4]]));
  const taken: string[] = [];
  for (const name of ['deciders', 'requests']) queue.add([name], name);
  for (let n = 0; n < 500; n += 1) {
    const name = queue.take() ?? '';
    taken.push(name);
    queue.charge([name], 10);
    queue.add([name], name);
  }
  expect(taken.filter((name) => name === 'deciders')).toHaveLength(400);
});

test('gives a tenant with a hundred keys the same share as a tenant with one, and all tenants together the same as the deciders', () => {
  const many = Array.from({ length: 100 }, (_, key) => ({
    lane: ['requests', 'many', `key ${key}`],
    cost: 1,
  }));
  const charged = takings(
    [...many, { lane: ['requests', 'one', 'key'], cost: 1 }, { lane: ['deciders'], cost: 1 }],
    4_000,
  );
  const sumOf = (beginning: string) =>
    [...charged].reduce((sum, [name, cost]) => sum + (name.startsWith(beginning) ? cost : 0), 0);
  expect([sumOf('requests/many'), sumOf('requests/one'), sumOf('deciders')]).toEqual([1_000, 1_000, 2_000]);
});

test('gives a lane no credit for its absence, and keeps its charge', () => {
  const queue = new FairQueue<string>();
  const work = (lane: string, cost: number) => {
    queue.add([lane], lane);
    const taken = queue.take();
    queue.charge([taken ?? ''], cost);
    return taken;
  };
  for (let n = 0; n < 10; n++) work('busy', 1);
  queue.add(['busy'], 'busy');
  expect(work('new', 1)).toBe('new');
  // The new lane began with the charge of the busy lane. So the new lane does not get nine extra items.
  queue.add(['new'], 'new');
  queue.add(['new'], 'new');
  expect([queue.take(), queue.take()]).toContain('busy');
});

test('forgets idle lanes when their charge has no effect any more', () => {
  const queue = new FairQueue<number>();
  queue.add(['dear'], 0);
  queue.take();
  queue.charge(['dear'], 1_000);
  for (let n = 1; n <= 5_000; n++) {
    queue.add([`passing ${n}`], n);
    queue.take();
    queue.charge([`passing ${n}`], 1);
  }
  queue.add(['dear'], -1);
  queue.add(['another'], -2);
  expect(queue.take()).toBe(-2);
});
