import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { keyPartition } from '../key-partition.ts';
import { expectFailure, gate, type Scene, text } from './scene.ts';

export function reading(scene: Scene): void {
  test('has caught up when all that was there is handed over, then goes on live', async () => {
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

  test('has caught up at once when there is nothing', async () => {
    const reader = await scene.read(() => {});
    await reader.caughtUp;
    await reader.stop();
  });

  test('has not caught up before its handler is done with the last record', async () => {
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

  test('hands over in order, one call at a time, at most maxBatch, and sees every partition', async () => {
    const count = 60;
    await scene.append(...Array.from({ length: count }, (_, i) => [`k${i % 9}`, `${i}`] as const));
    const next = new Map<number, number>();
    let running = 0;
    // Not how many: what Kafka wrote and then took for unwritten is sent again, and lies there twice.
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

  test('from latest sees only what comes from now on', async () => {
    await scene.append(['a', 'old']);
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)), { from: 'latest' });
    await reader.caughtUp;
    await scene.append(['a', 'new'], ['b', 'new too']);
    await scene.until(() => expect(seen).toHaveLength(2));
    expect(seen.toSorted()).toEqual(['new', 'new too']);
    await reader.stop();
  });

  test('starts at the offsets given, and at the earliest where none is; positions name what is next', async () => {
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

  test('sees what another client appends', async () => {
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)));
    await reader.caughtUp;
    await (await scene.another()).append(scene.topic, [{ key: 'a', value: 'from elsewhere' }]);
    await scene.until(() => expect(seen).toEqual(['from elsewhere']));
    await reader.stop();
  });

  test('every reader gets everything, and moves no group', async () => {
    await scene.append(['a', '1'], ['b', '2']);
    expect(await scene.everything()).toHaveLength(2);
    expect(await scene.everything()).toHaveLength(2);
  });

  test('a handler that throws ends the reader with its error', async () => {
    await scene.append(['a', '1']);
    const reader = await scene.read(() => {
      throw new Error('no thanks');
    });
    await expect(reader.finished).rejects.toThrow('no thanks');
    await expect(reader.caughtUp).rejects.toThrow('no thanks');
    await reader.stop();
  });

  test('a reader that has ended holds on to nothing that its handler held', async () => {
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
      // An error that named it would hold it.
      expect(held.deref() === undefined).toBe(true);
    });
  });

  test('after stop nothing is handed over, and finished resolves', async () => {
    const seen: string[] = [];
    const reader = await scene.read((records) => void seen.push(...records.map(text)));
    await reader.caughtUp;
    await reader.stop();
    await expect(reader.finished).resolves.toBeUndefined();
    await scene.append(['a', '1']);
    expect(await scene.everything()).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  test('stop waits for the handler at work', async () => {
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
    // A stop that does not wait would have resolved by then.
    await new Promise(setImmediate);
    open();
    expect(await doneWhenStopped).toBe(true);
  });

  test('an offset that retention took is an error, never a jump', async () => {
    const [ack] = await scene.append(['k', '0'], ['k', '1']);
    await scene.harness.expire(scene.topic);
    await scene.append(['k', '2']);
    const from = { [`${scene.topic}/${ack?.position.partition}`]: 1 };
    const reader = await scene.read(() => {}, { from });
    await expectFailure(reader.finished, 'BUS_OFFSET_LOST');
    await expectFailure(reader.caughtUp, 'BUS_OFFSET_LOST');
  });

  test('a reader that begins behind the end of the log is lost, not caught up', async () => {
    const [ack] = await scene.append(['k', '0']);
    const from = { [`${scene.topic}/${ack?.position.partition}`]: 2 };
    const reader = await scene.read(() => {}, { from });
    await expectFailure(reader.finished, 'BUS_OFFSET_LOST');
    await expectFailure(reader.caughtUp, 'BUS_OFFSET_LOST');
  });
}
