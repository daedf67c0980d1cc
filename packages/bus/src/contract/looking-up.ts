import { expect, test } from 'vitest';
import { keyPartition } from '../key-partition.ts';
import { type Scene, text } from './scene.ts';

export function lookingUp(scene: Scene): void {
  test('returns a range of offsets for each partition, in order, and each new record extends the range', async () => {
    const before = await scene.bus.ranges(scene.topic);
    expect(before.length).toBeGreaterThan(1);
    expect(before).toEqual(
      before.map((_, partition) => ({ topic: scene.topic, partition, startOffset: 0, endOffset: 0 })),
    );
    await scene.append(['k', '0'], ['k', '1']);
    const home = keyPartition('k', before.length);
    expect(await scene.bus.ranges(scene.topic)).toEqual(
      before.map((range) => ({ ...range, endOffset: range.partition === home ? 2 : 0 })),
    );
  });

  test('ends ranges before a time at the first record of that time', async () => {
    const [first] = await scene.append(['k', '0']);
    const firstMs = first?.appendedAtMs ?? 0;
    const partition = first?.position.partition ?? 0;
    let secondMs = firstMs;
    await scene.until(async () => {
      const [second] = await scene.append(['k', 'later']);
      secondMs = second?.appendedAtMs ?? 0;
      expect(secondMs).toBeGreaterThan(firstMs);
    });
    const [now, ...before] = await Promise.all(
      [undefined, firstMs, firstMs + 1, secondMs, secondMs + 1].map(async (beforeMs) => {
        const ranges = await scene.bus.ranges(scene.topic, beforeMs);
        expect(ranges.every((range) => range.startOffset === 0)).toBe(true);
        expect(ranges.filter((range) => range.partition !== partition && range.endOffset > 0)).toEqual([]);
        return ranges[partition]?.endOffset ?? 0;
      }),
    );
    expect(before[0]).toBe(0);
    expect(before[1]).toBeGreaterThan(0);
    expect(before[2]).toBe((now ?? 0) - 1);
    expect(before[3]).toBe(now);
  });

  test('returns one record at a position, or null if there is none', async () => {
    const [, second] = await scene.append(['k', 'first'], ['k', 'second']);
    const position = second?.position ?? { topic: scene.topic, partition: 0, offset: 0 };
    const record = await scene.bus.at(position);
    expect(record && text(record)).toBe('second');
    expect(await scene.bus.at({ ...position, offset: 2 })).toBeNull();
    expect(await scene.bus.at({ ...position, partition: 999 })).toBeNull();
  });

  test('retention moves the start of a range but never its end, and a deleted record is returned as null', async () => {
    const acks = await scene.append(['k', '0'], ['k', '1']);
    const position = acks[0]?.position ?? { topic: scene.topic, partition: 0, offset: 0 };
    await scene.harness.expire(scene.topic);
    const range = (await scene.bus.ranges(scene.topic))[position.partition];
    expect(range).toMatchObject({ startOffset: 2, endOffset: 2 });
    expect(await scene.bus.at(position)).toBeNull();
    const before = (await scene.bus.ranges(scene.topic, acks[0]?.appendedAtMs))[position.partition];
    expect(before).toMatchObject({ startOffset: 2, endOffset: 2 });
    const [next] = await scene.append(['k', '2']);
    expect(next?.position.offset).toBe(2);
  });

  test('answers a ping if the log answers', async () => {
    await expect(scene.bus.ping()).resolves.toBeUndefined();
  });
}
