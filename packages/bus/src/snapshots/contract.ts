/** The promises of every snapshot store, as tests. Only tests import this file. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Snapshots } from './port.ts';

/** Returns random lines. They need more than 700 kB even when compressed, so a topic stores them in several parts. */
function someLines(name: string): string[] {
  return [
    name,
    ...Array.from({ length: 2_000 }, (_, at) => `${name} ${at} ${randomBytes(400).toString('hex')}`),
    'é€😀',
  ];
}

/** @param open called before each test; returns a store without snapshots */
export function snapshotsContract(open: () => Promise<Snapshots>): void {
  test('has no snapshot at first', async () => {
    expect(await all((await open()).newestFirst())).toEqual([]);
  });

  test('returns the newest snapshot first, with all its lines, and can return its first line alone', async () => {
    const home = await open();
    const [first, second] = [someLines('first'), someLines('second')];
    await home.save(first);
    const saved = await home.save(second);
    const [newest] = await all(home.newestFirst());
    expect(newest?.name).toBe(saved.name);
    expect(saved.bytes).toBeGreaterThan(700_000);
    expect(await newest?.head()).toBe('second');
    expect(await all(newest?.lines())).toEqual(second);
  });

  test('keeps only the earlier snapshot if the writer fails or is stopped', async () => {
    const home = await open();
    const [good, bad] = [someLines('good'), someLines('bad')];
    await home.save(good);
    function* breaking() {
      yield* bad;
      throw new Error('broken');
    }
    await expect(home.save(breaking())).rejects.toThrow('broken');
    const stop = new AbortController();
    function* endless() {
      setImmediate(() => stop.abort());
      while (true) yield* bad;
    }
    await expect(home.save(endless(), stop.signal)).rejects.toThrow('abort');
    const [newest, ...others] = await all(home.newestFirst());
    expect(await all(newest?.lines())).toEqual(good);
    expect(others).toEqual([]);
  });

  test('keeps whole snapshots only, even if two writers run at once', async () => {
    const home = await open();
    const given = [someLines('one'), someLines('another')];
    const saved = await Promise.allSettled(given.map((lines) => home.save(lines)));
    const found = await all(home.newestFirst());
    expect(saved.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect(given).toContainEqual(await all(each.lines()));
  });

  test('lets a reader stop before the end', async () => {
    const home = await open();
    await home.save(someLines('long'));
    const [newest] = await all(home.newestFirst());
    for await (const line of newest?.lines() ?? []) {
      expect(line).toBe('long');
      break;
    }
    expect(await all(newest?.lines())).toHaveLength(2_002);
  });
}

export async function all<T>(items: AsyncIterable<T> | undefined): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items ?? []) found.push(item);
  return found;
}
