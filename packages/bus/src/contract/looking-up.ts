import { expect, test } from 'vitest';
import { keyPartition } from '../key-partition.ts';
import { type Scene, text } from './scene.ts';

export function lookingUp(scene: Scene): void {
  test('ranges has a row per partition, in order, that grows with each record', async () => {
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

  test('at gives one record, or null where none is', async () => {
    const [, second] = await scene.append(['k', 'first'], ['k', 'second']);
    const coordinate = second?.coordinate ?? { topic: scene.topic, partition: 0, offset: 0 };
    const record = await scene.bus.at(coordinate);
    expect(record && text(record)).toBe('second');
    expect(await scene.bus.at({ ...coordinate, offset: 2 })).toBeNull();
    expect(await scene.bus.at({ ...coordinate, partition: 999 })).toBeNull();
  });

  test('retention moves the start, never the end; what it took is null', async () => {
    const acks = await scene.append(['k', '0'], ['k', '1']);
    const coordinate = acks[0]?.coordinate ?? { topic: scene.topic, partition: 0, offset: 0 };
    await scene.harness.expire(scene.topic);
    const range = (await scene.bus.ranges(scene.topic))[coordinate.partition];
    expect(range).toMatchObject({ startOffset: 2, endOffset: 2 });
    expect(await scene.bus.at(coordinate)).toBeNull();
    const [next] = await scene.append(['k', '2']);
    expect(next?.coordinate.offset).toBe(2);
  });

  test('ping answers while the log does', async () => {
    await expect(scene.bus.ping()).resolves.toBeUndefined();
  });
}
