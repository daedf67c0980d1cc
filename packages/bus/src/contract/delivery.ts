import { expect, test } from 'vitest';
import { BATCH_BYTES } from '../batch-bytes.ts';
import type { Batch, LogRecord } from '../port.ts';
import { afterLast, expectFailure, gate, type Scene, text } from './scene.ts';

export function delivery(scene: Scene): void {
  test('hands over all records, in order within a partition, and each record only once if all are committed', async () => {
    await scene.append(...Array.from({ length: 100 }, (_, i) => [`k${i % 9}`, `${i}`] as const));
    const seen: LogRecord[] = [];
    const consumer = await scene.consume('g', async (batch) => {
      await batch.commit(afterLast(batch));
      // Counts records only after their commit. A member that loses its partition gets the same batch again. This
      // often happens on a new broker.
      seen.push(...batch.records);
    });
    await scene.append(['k1', 'later']);
    await scene.untilNoLag(consumer);
    await consumer.stop();
    // The set ignores duplicates. If the bus sends a part of an append twice, the log contains its records twice.
    expect(new Set(seen.map(text)).size).toBe(101);
    for (const [, records = []] of Object.entries(Object.groupBy(seen, byPartition))) {
      expect(records.map(({ position }) => position.offset)).toEqual(records.map((_, i) => i));
    }
  });

  test('hands over batches of 1 to maxBatch consecutive records of one partition, with the end of the log', async () => {
    await scene.append(...Array.from({ length: 40 }, (_, i) => [`k${i % 3}`, `${i}`] as const));
    const batches: Batch[] = [];
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        batches.push(batch);
        await batch.commit(afterLast(batch));
      },
      { maxBatch: 4 },
    );
    await scene.untilNoLag(consumer);
    await consumer.stop();
    const ends = new Map(
      (await scene.bus.ranges(scene.topic)).map((range) => [range.partition, range.endOffset]),
    );
    for (const { topic, partition, records, endOffset } of batches) {
      const first = records[0]?.position.offset ?? Number.NaN;
      expect(records.length).toBeGreaterThan(0);
      expect(records.length).toBeLessThanOrEqual(4);
      expect(records.map(({ position }) => position)).toEqual(
        records.map((_, i) => ({ topic, partition, offset: first + i })),
      );
      expect(endOffset).toBe(ends.get(partition));
    }
  });

  test('ends a batch of large records before maxBatch, and delivers all records', async () => {
    const value = 'x'.repeat(300_000);
    for (let n = 0; n < 3; n++) await scene.append(...Array(8).fill(['k', value]));
    const batches: Batch[] = [];
    const consumer = await scene.consume('g', async (batch) => {
      await batch.commit(afterLast(batch));
      batches.push(batch);
    });
    await scene.untilNoLag(consumer);
    await consumer.stop();
    expect(batches.flatMap(({ records }) => records)).toHaveLength(24);
    for (const { records } of batches) expect((records.length - 1) * value.length).toBeLessThan(BATCH_BYTES);
  });

  test('hands over the same records again if they were not committed', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const attempts: string[][] = [];
    const consumer = await scene.consume('g', async (batch) => {
      attempts.push(batch.records.map(text));
      if (attempts.length === 3) await batch.commit(afterLast(batch));
    });
    await scene.untilNoLag(consumer);
    await consumer.stop();
    expect(attempts).toEqual([
      ['0', '1'],
      ['0', '1'],
      ['0', '1'],
    ]);
  });

  test('starts the next batch after the part that was committed', async () => {
    await scene.append(['k', '0'], ['k', '1'], ['k', '2']);
    const batches: string[][] = [];
    const consumer = await scene.consume('g', async (batch) => {
      batches.push(batch.records.map(text));
      await batch.commit((batch.records[0]?.position.offset ?? 0) + 1);
    });
    await scene.untilNoLag(consumer);
    await consumer.stop();
    expect(batches).toEqual([['0', '1', '2'], ['1', '2'], ['2']]);
  });

  test('refuses a commit outside of its batch', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const refused = gate();
    const consumer = await scene.consume('g', async (batch) => {
      await expectFailure(batch.commit(afterLast(batch) + 1), 'BUS_MISUSED');
      await expectFailure(batch.commit(-1), 'BUS_MISUSED');
      await expectFailure(batch.commit(0.5), 'BUS_MISUSED');
      refused.open();
    });
    await Promise.race([refused.opened, consumer.finished]);
    await consumer.stop();
    expect((await consumer.lag()).reduce((sum, { lag }) => sum + lag, 0)).toBe(2);
  });

  test('hands over one batch of a partition at a time, and several partitions concurrently', async () => {
    const partitions = await scene.fillEveryPartition('first');
    await scene.fillEveryPartition('second');
    const running = new Map<number, number>();
    const all = gate();
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        running.set(batch.partition, (running.get(batch.partition) ?? 0) + 1);
        expect(running.get(batch.partition)).toBe(1);
        if (running.size === partitions) all.open();
        await all.opened;
        await batch.commit(afterLast(batch));
        running.set(batch.partition, 0);
      },
      { maxBatch: 1 },
    );
    await Promise.race([all.opened, consumer.finished]);
    await scene.untilNoLag(consumer);
    await consumer.stop();
  });

  test('gives all records to every group', async () => {
    await scene.append(['a', '1'], ['b', '2']);
    const seen: string[] = [];
    const consumers = await Promise.all(
      ['g', 'h'].map((group) =>
        scene.consume(group, async (batch) => {
          seen.push(...batch.records.map((record) => `${group}${text(record)}`));
          await batch.commit(afterLast(batch));
        }),
      ),
    );
    await scene.until(() => expect(seen.toSorted()).toEqual(['g1', 'g2', 'h1', 'h2']));
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  });

  test('counts the uncommitted records of each partition as lag', async () => {
    const partitions = await scene.fillEveryPartition('0');
    await scene.fillEveryPartition('1');
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        if (batch.partition === 0) await batch.commit(1);
      },
      { maxBatch: 2 },
    );
    const expected = Array.from({ length: partitions }, (_, partition) => ({
      topic: scene.topic,
      partition,
      lag: partition === 0 ? 1 : 2,
    }));
    await scene.until(async () => expect(await consumer.lag()).toEqual(expected));
    await consumer.stop();
  });

  test('halts a group with an error if retention deleted the record at its position, and never skips records', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const first = await scene.consume('g', (batch) => batch.commit(1));
    await scene.until(async () => expect((await first.lag()).some(({ lag }) => lag === 1)).toBe(true));
    await first.stop();
    await scene.harness.expire(scene.topic);
    await scene.append(['k', '2']);
    const seen: string[] = [];
    const second = await scene.consume('g', async ({ records }) => void seen.push(...records.map(text)));
    await expectFailure(second.finished, 'BUS_OFFSET_LOST');
    expect(seen).toEqual([]);
  });

  test('a consumer with onHalted continues with its other partitions, and keeps the position of the halted partition', async () => {
    const partitions = await scene.fillEveryPartition('0');
    await scene.fillEveryPartition('1');
    const first = await scene.consume('g', (batch) =>
      batch.commit(batch.partition === 0 ? 1 : afterLast(batch)),
    );
    const lags = (ofFirst: number) => Array.from({ length: partitions }, (_, at) => (at === 0 ? ofFirst : 0));
    await scene.until(async () => expect((await first.lag()).map(({ lag }) => lag)).toEqual(lags(1)));
    await first.stop();
    await scene.harness.expire(scene.topic);
    await scene.fillEveryPartition('2');
    const halted: unknown[] = [];
    const seen = new Set<number>();
    const second = await scene.consume(
      'g',
      async (batch) => {
        seen.add(batch.partition);
        await batch.commit(afterLast(batch));
      },
      { onHalted: (partition, { code }) => halted.push({ ...partition, code }) },
    );
    await scene.until(async () => expect((await second.lag()).map(({ lag }) => lag)).toEqual(lags(2)));
    await scene.until(() =>
      expect(halted).toContainEqual({ topic: scene.topic, partition: 0, code: 'BUS_OFFSET_LOST' }),
    );
    await second.stop();
    await second.finished;
    expect(seen).not.toContain(0);
  });
}

function byPartition({ position }: LogRecord): string {
  return `${position.partition}`;
}
