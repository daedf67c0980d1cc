import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Batch, Bus } from '../port.ts';
import { afterLast, gate, type Scene, text } from './scene.ts';

export function following(scene: Scene): void {
  const append = (topic: string, ...values: string[]) =>
    scene.bus.append(
      topic,
      values.map((value) => ({ key: 'k', value })),
    );

  async function twoTopics(): Promise<{ topic: string; later: string; both: string[] }> {
    const { topic } = scene;
    const later = `contract.${randomUUID()}`;
    await append(later, 'before');
    return { topic, later, both: [topic, later] };
  }

  test('reads a newly followed topic from its start, and first finishes the current batch', async () => {
    const { topic, later, both } = await twoTopics();
    await append(topic, '0', '1', '2');
    const seen: string[] = [];
    const started = gate();
    const { open, opened } = gate();
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        seen.push(...batch.records.map(text));
        started.open();
        await opened;
        await batch.commit(afterLast(batch));
      },
      { maxBatch: 1 },
    );
    await started.opened;
    await consumer.follow(both);
    expect(new Set((await consumer.lag()).map((each) => each.topic))).toEqual(new Set(both));
    open();
    await scene.untilNoLag(consumer);
    await append(later, 'after');
    await append(topic, '3');
    await scene.untilNoLag(consumer);
    await consumer.stop();
    // No value is in the list twice, because the member could still commit its current batch.
    expect(seen.filter((value) => value.length > 1)).toEqual(['before', 'after']);
    expect(seen.filter((value) => value.length === 1)).toEqual(['0', '1', '2', '3']);
  });

  test('shares each topic among the members that follow it, even after members change their topics', async () => {
    const { topic, later, both } = await twoTopics();
    const seen: Batch[][] = [[], []];
    const member = (who: number, bus: Bus) =>
      scene.consume(
        'g',
        async (batch) => {
          await batch.commit(afterLast(batch));
          seen[who]?.push(batch);
        },
        {},
        bus,
      );
    const valuesOf = (who: number, of: string) =>
      (seen[who] ?? []).filter((batch) => batch.topic === of).flatMap(({ records }) => records.map(text));
    // If the implementation of the bus has leaders, the first member of a group is its leader.
    const first = await member(0, scene.bus);
    const second = await member(1, await scene.another());
    await second.follow(both);
    await scene.until(() => expect(valuesOf(1, later)).toEqual(['before']));
    // The group has a position in every partition of the topic, even in a partition without records to commit.
    const positions = await scene.bus.positions(`${topic}.g`);
    expect(positions.filter((place) => place.topic === later)).toHaveLength(await scene.partitions());
    await first.follow(both);
    await fillUntil(async (round) => {
      for (const each of both) await fill(each, round);
      await Promise.all([scene.untilNoLag(first), scene.untilNoLag(second)]);
      const [ofFirst, ofSecond] = [0, 1].map((who) => both.flatMap((each) => valuesOf(who, each)));
      const inRound = (values: string[] = []) => values.filter((value) => value === round).length;
      return inRound(ofFirst) === inRound(ofSecond);
    });

    // The first member stops following a topic. The second member gets its partitions and continues at the group's
    // position.
    await first.follow([topic]);
    await fillUntil(async (round) => {
      await fill(later, round);
      await scene.untilNoLag(second);
      return !valuesOf(0, later).includes(round);
    });
    await Promise.all([first.stop(), second.stop()]);
    const places = seen.flat().flatMap(({ records }) => records.map(({ position }) => position));
    const names = places.map(({ topic: of, partition, offset }) => `${of}/${partition}/${offset}`);
    expect(new Set(names).size).toBe(names.length);
    expect(await uncommitted(both)).toBe(0);
  });

  /** Appends one record to each partition. */
  async function fill(topic: string, value: string): Promise<void> {
    const ranges = await scene.bus.ranges(topic);
    await scene.bus.append(
      topic,
      ranges.map(({ partition }) => ({ key: null, value, partition })),
    );
  }

  /**
   * Fills the topics repeatedly, with a new value in each round, until `isSo` is true. A test cannot see from outside
   * when the members have agreed.
   */
  async function fillUntil(isSo: (round: string) => Promise<boolean>): Promise<void> {
    await scene.until(async () => expect(await isSo(randomUUID())).toBe(true));
  }

  async function uncommitted(topics: readonly string[]): Promise<number> {
    const positions = await scene.bus.positions(`${scene.topic}.g`);
    const done = positions.reduce((sum, { nextOffset }) => sum + nextOffset, 0);
    const ranges = (await Promise.all(topics.map((topic) => scene.bus.ranges(topic)))).flat();
    return ranges.reduce((sum, { endOffset }) => sum + endOffset, 0) - done;
  }
}
