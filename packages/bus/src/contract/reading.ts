import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { keyPartition } from '../key-partition.ts';
import { expectFailure, gate, type Scene, text } from './scene.ts';

export function reading(scene: Scene): void {
  test('reports caughtUp after all earlier records are handed over, then continues with new records', async () => {
    await scene.append(['a', '1'], ['b', '2'], ['c', '3']);
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)), { maxBatch: 1 });
    await reader.caughtUp;
    expect(seen.toSorted()).toEqual(['1', '2', '3']);
    for (const value of ['4', '5', '6']) {
      await scene.append(['a', value]);
      await scene.until(() => expect(seen).toContain(value));
    }
    await reader.stop();
  });

  test('reports caughtUp at once if the topic has no records', async () => {
    const reader = await scene.read(() => {});
    await reader.caughtUp;
    await reader.stop();
  });

  test('does not report caughtUp before its handler has finished the last record', async () => {
    await scene.append(['a', '1']);
    const { open, opened } = gate();
    let done = false;
    const reader = await scene.read(async () => {
      await opened;
      done = true;
    });
    const caughtUp = reader.caughtUp.then(() => done);
    open();
    expect(await caughtUp).toBe(true);
    await reader.stop();
  });

  test('hands over the records of every partition in order, one call at a time, and at most maxBatch records in a call', async () => {
    const count = 60;
    await scene.append(...Array.from({ length: count }, (_, i) => [`k${i % 9}`, `${i}`] as const));
    const next = new Map<number, number>();
    let running = 0;
    // If the answer to a write is lost, the client writes again, and Kafka then contains the record twice. A set
    // ignores the repeat.
    const seen = new Set<string>();
    const reader = await scene.read(
      async (batch) => {
        running += 1;
        expect(running).toBe(1);
        expect(batch.length).toBeLessThanOrEqual(7);
        for (const { position } of batch) {
          expect(position.offset).toBe(next.get(position.partition) ?? 0);
          next.set(position.partition, position.offset + 1);
        }
        await Promise.resolve();
        for (const record of batch) seen.add(text(record));
        running -= 1;
      },
      { maxBatch: 7 },
    );
    await reader.caughtUp;
    expect(seen.size).toBe(count);
    await reader.stop();
  });

  test('reads only new records if it starts at latest', async () => {
    await scene.append(['a', 'old']);
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)), { from: 'latest' });
    await reader.caughtUp;
    await scene.append(['a', 'new'], ['b', 'new too']);
    await scene.until(() => expect(seen).toHaveLength(2));
    expect(seen.toSorted()).toEqual(['new', 'new too']);
    await reader.stop();
  });

  test('starts at the given offsets, or otherwise at the earliest, and reports the next offsets as positions', async () => {
    const partitions = await scene.partitions();
    const home = keyPartition('k', partitions);
    const elsewhere = (home + 1) % partitions;
    await scene.append(['k', '0'], ['k', '1'], ['k', '2']);
    await scene.bus.append(scene.topic, [{ key: null, value: 'other', partition: elsewhere }]);
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)), {
      from: { [`${scene.topic}/${home}`]: 2 },
    });
    await reader.caughtUp;
    expect(seen.toSorted()).toEqual(['2', 'other']);
    expect(reader.positions()).toMatchObject({
      [`${scene.topic}/${home}`]: 3,
      [`${scene.topic}/${elsewhere}`]: 1,
    });
    await reader.stop();
    expect(Object.keys(reader.positions())).toHaveLength(partitions);
  });

  test('hands over records that another client appends', async () => {
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)));
    await reader.caughtUp;
    await (await scene.another()).append(scene.topic, [{ key: 'a', value: 'from elsewhere' }]);
    await scene.until(() => expect(seen).toEqual(['from elsewhere']));
    await reader.stop();
  });

  test('gives all records to every reader, and changes no group’s position', async () => {
    await scene.append(['a', '1'], ['b', '2']);
    expect(await scene.everything()).toHaveLength(2);
    expect(await scene.everything()).toHaveLength(2);
  });

  test('ends the reader with the error of its handler', async () => {
    await scene.append(['a', '1']);
    const reader = await scene.read(() => {
      throw new Error('no thanks');
    });
    await expect(reader.finished).rejects.toThrow('no thanks');
    await expect(reader.caughtUp).rejects.toThrow('no thanks');
    await reader.stop();
  });

  test('frees all objects of the handler after the reader has ended', async () => {
    await scene.append(['a', '1']);
    const held = await (async () => {
      const all = { records: 0 };
      const reader = await scene.read((records) => {
        all.records += records.length;
        throw new Error('no thanks');
      });
      await reader.finished.catch(() => {});
      return new WeakRef(all);
    })();
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    await scene.until(() => {
      collectGarbage();
      // The comparison is outside `expect`, because a failed `expect(held.deref())` would keep the object in its
      // error.
      expect(held.deref() === undefined).toBe(true);
    });
  });

  test('hands over no record after stop, and resolves finished', async () => {
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)));
    await reader.caughtUp;
    await reader.stop();
    await expect(reader.finished).resolves.toBeUndefined();
    await scene.append(['a', '1']);
    expect(await scene.everything()).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  test('waits on stop for the running handler', async () => {
    await scene.append(['a', '1']);
    const started = gate();
    const { open, opened } = gate();
    let done = false;
    const reader = await scene.read(async () => {
      started.open();
      await opened;
      done = true;
    });
    await started.opened;
    const doneWhenStopped = reader.stop().then(() => done);
    // If stop did not wait for the handler, it would have resolved before this line.
    await new Promise(setImmediate);
    open();
    expect(await doneWhenStopped).toBe(true);
  });

  test('fails on an offset that retention deleted, and never skips records', async () => {
    const [ack] = await scene.append(['k', '0'], ['k', '1']);
    await scene.harness.expire(scene.topic);
    await scene.append(['k', '2']);
    const from = { [`${scene.topic}/${ack?.position.partition}`]: 1 };
    const reader = await scene.read(() => {}, { from });
    await expectFailure(reader.finished, 'BUS_OFFSET_LOST');
    await expectFailure(reader.caughtUp, 'BUS_OFFSET_LOST');
  });

  test('fails with BUS_OFFSET_LOST if it starts after the end of the log, and does not catch up', async () => {
    const [ack] = await scene.append(['k', '0']);
    const from = { [`${scene.topic}/${ack?.position.partition}`]: 2 };
    const reader = await scene.read(() => {}, { from });
    await expectFailure(reader.finished, 'BUS_OFFSET_LOST');
    await expectFailure(reader.caughtUp, 'BUS_OFFSET_LOST');
  });
}
