import { chmodSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { manualClock } from '@mandate/runtime';
import { createLogger } from '@mandate/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { busContract } from '../contract.ts';
import type { Bus } from '../port.ts';
import { Scratch } from './testing/scratch.ts';

/** The timeout is long for a busy machine. An idle machine needs a fraction of a second. */
const PATIENCE = { timeout: 20_000, interval: 5 };

busContract('sqlite', async () => {
  const scratch = new Scratch();
  await scratch.make();
  return {
    bus: await scratch.open(),
    another: () => scratch.open(),
    async expire(topic) {
      const clock = () => Date.now() + 86_400_000;
      const sweeper = await scratch.open({ clock, retentionMs: { [topic]: 1 }, sweepEveryMs: 1 });
      await vi.waitFor(async () => expect(await isEmpty(sweeper, topic)).toBe(true), PATIENCE);
      await sweeper.close();
    },
    dispose: () => scratch.remove(),
  };
});

describe('the SQLite log', () => {
  const scratch = new Scratch();
  beforeEach(() => scratch.make());
  afterEach(() => scratch.remove());

  test('makes its file, and the other files of SQLite, readable by the owner only', async () => {
    const bus = await scratch.open();
    await bus.append('t', [{ key: null, value: '' }]);
    const modes = ['', '-wal', '-shm'].map((end) => statSync(`${scratch.path}${end}`).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test('makes its files readable by the owner only, as soon as it opens files that others may read', async () => {
    const modes = () => ['', '-wal', '-shm'].map((end) => statSync(`${scratch.path}${end}`).mode & 0o777);
    const before = await scratch.open();
    await before.append('t', [{ key: null, value: '' }]);
    for (const end of ['', '-wal', '-shm']) chmodSync(`${scratch.path}${end}`, 0o644);
    expect(modes()).toEqual([0o644, 0o644, 0o644]);
    const after = await scratch.open();
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    expect(await after.ranges('t')).toContainEqual(expect.objectContaining({ endOffset: 1 }));
  });

  test('never decreases the append time while the clock runs backwards', async () => {
    const clock = manualClock(1_000);
    const bus = await scratch.open({ clock, partitions: 1 });
    const at = async (time: number) => {
      clock.set(time);
      return (await bus.append('t', [{ key: null, value: '' }]))[0]?.appendedAtMs;
    };
    expect([await at(1_000), await at(400), await at(999), await at(1_001)]).toEqual([
      1_000, 1_000, 1_000, 1_001,
    ]);
  });

  test('never decreases the append time in any partition of any topic, even after the file is opened again', async () => {
    const clock = manualClock(5_000);
    const bus = await scratch.open({ clock, partitions: 3 });
    const at = async (log: Bus, topic: string, partition: number) =>
      (await log.append(topic, [{ key: null, value: '', partition }]))[0]?.appendedAtMs;
    expect(await at(bus, 't', 0)).toBe(5_000);
    clock.set(1_000);
    expect([await at(bus, 't', 1), await at(bus, 'u', 2)]).toEqual([5_000, 5_000]);
    await bus.close();
    expect(await at(await scratch.open({ clock, partitions: 3 }), 't', 2)).toBe(5_000);
  });

  test('waits for a file that another process has locked, then fails with BUS_UNAVAILABLE, and works again after the lock is released', async () => {
    const bus = await scratch.open({ busyWaitMs: 50 });
    await bus.append('t', [{ key: 'k', value: 'before' }]);
    const holder = new DatabaseSync(scratch.path);
    holder.exec('BEGIN IMMEDIATE');
    await expect(bus.append('t', [{ key: 'k', value: 'refused' }])).rejects.toMatchObject({
      code: 'BUS_UNAVAILABLE',
      retryable: true,
    });
    const waits = bus.append('t', [{ key: 'k', value: 'waited' }]);
    holder.exec('ROLLBACK');
    holder.close();
    expect((await waits)[0]?.position.offset).toBe(1);
  });

  test('fails with BUS_OVERLOADED if the file is locked until too many records are in flight', async () => {
    const bus = await scratch.open({ maxInFlightRecords: 10, overloadWaitMs: 20, busyWaitMs: 60_000 });
    await bus.ranges('t');
    const holder = new DatabaseSync(scratch.path);
    holder.exec('BEGIN IMMEDIATE');
    const taken = bus.append('t', Array(10).fill({ key: 'k', value: '' }));
    await expect(bus.append('t', [{ key: 'k', value: '' }])).rejects.toMatchObject({
      code: 'BUS_OVERLOADED',
    });
    holder.exec('ROLLBACK');
    holder.close();
    expect(await taken).toHaveLength(10);
  });

  test('keeps the number of partitions with which a topic was created', async () => {
    const first = await scratch.open({ partitions: 3, partitionsByTopic: { narrow: 1 } });
    expect(await first.ranges('wide')).toHaveLength(3);
    expect(await first.ranges('narrow')).toHaveLength(1);
    expect([await first.makeTopic('wide'), await first.makeTopic('new')]).toEqual([false, true]);
    const lines: string[] = [];
    const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(line) } });
    const second = await scratch.open({ partitions: 5, log });
    expect(await second.ranges('wide')).toHaveLength(3);
    expect(lines.join()).toContain('keeps the partitions');
    await expect((await scratch.open({ partitions: 0 })).ranges('never')).rejects.toMatchObject({
      code: 'BUS_MISUSED',
    });
  });

  test('refuses a file with another layout, and a file that is not a database', async () => {
    await (await scratch.open()).close();
    const db = new DatabaseSync(scratch.path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(scratch.open()).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE', retryable: false });
    await expect(scratch.open({ path: import.meta.filename })).rejects.toMatchObject({
      code: 'BUS_UNAVAILABLE',
    });
    const belowAFile = join(import.meta.filename, 'log.db');
    await expect(scratch.open({ path: belowAFile })).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
  });

  test('fails a ping if the file was removed', async () => {
    const bus = await scratch.open();
    await bus.ping();
    await rm(scratch.path);
    await expect(bus.ping()).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
  });

  test('fails a ping if nothing can be written', async () => {
    const bus = await scratch.open({ busyWaitMs: 50 });
    const other = new DatabaseSync(scratch.path);
    other.exec('BEGIN IMMEDIATE');
    await expect(bus.ping()).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE', retryable: true });
    other.exec('ROLLBACK');
    other.close();
    await bus.ping();
  });

  test('reads large records in several fetches, including records appended between the fetches', async () => {
    const bus = await scratch.open({ partitions: 1 });
    const heavy = { key: 'k', value: new Uint8Array(1024 * 1024) };
    await bus.append('t', Array(9).fill(heavy));
    const calls: number[] = [];
    const reader = await bus.read({
      topics: ['t'],
      from: 'earliest',
      async onRecords(records) {
        calls.push(records.length);
        if (calls.length === 1) await bus.append('t', [heavy, heavy]);
      },
    });
    await vi.waitFor(() => expect(calls.reduce((sum, length) => sum + length, 0)).toBe(11), PATIENCE);
    await reader.stop();
    expect(Math.max(...calls)).toBeLessThan(9);
  });

  test('deletes records above their topic’s age limit, and first warns groups that have not committed these records', async () => {
    const clock = manualClock(0);
    const lines: string[] = [];
    const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(line) } });
    const bus = await scratch.open({
      clock,
      log,
      partitions: 1,
      retentionMs: { 'a.v1': 1_000 },
      sweepEveryMs: 1,
    });
    const slow = await bus.consume({
      group: 'slow',
      topics: ['a.v1'],
      from: 'earliest',
      onBatch: async () => {},
    });
    await slow.stop();
    const topics = ['a.v1', 'a.v1.tenant', 'a.v10', 'kept'];
    for (const topic of topics) await bus.append(topic, [{ key: 'k', value: 'old' }]);
    clock.set(900);
    for (const topic of topics) await bus.append(topic, [{ key: 'k', value: 'new' }]);
    await vi.waitFor(() => expect(lines.join()).toContain('about to overtake'), PATIENCE);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      group: 'slow',
      topic: 'a.v1',
      partition: 0,
      position: 0,
      soon: 1,
    });
    const starts = async () =>
      (await Promise.all(topics.map((topic) => bus.ranges(topic)))).flat().map((range) => range.startOffset);
    expect(await starts()).toEqual([0, 0, 0, 0]);
    clock.set(1_001);
    await vi.waitFor(async () => expect(await starts()).toEqual([1, 1, 0, 0]), PATIENCE);
    expect(await bus.at({ topic: 'a.v1', partition: 0, offset: 1 })).not.toBeNull();
  });

  test('halts a group whose position is after the end of an older copy of the file', async () => {
    const bus = await scratch.open({ partitions: 1 });
    await bus.append('t', [{ key: 'k', value: '' }]);
    await bus.close();
    const db = new DatabaseSync(scratch.path);
    db.exec(
      "INSERT INTO positions (group_name, partition_id, next_offset) SELECT 'g', id, 5 FROM partitions",
    );
    db.close();
    const again = await scratch.open();
    const consumer = await again.consume({
      group: 'g',
      topics: ['t'],
      from: 'earliest',
      onBatch: async () => {},
    });
    await expect(consumer.finished).rejects.toMatchObject({ code: 'BUS_OFFSET_LOST' });
    const reader = await again.read({ topics: ['t'], from: { 't/0': 2 }, onRecords() {} });
    await expect(reader.finished).rejects.toMatchObject({ code: 'BUS_OFFSET_LOST' });
  });

  test('writes no later part of a large append after a part failed', async () => {
    const bus = await scratch.open({ partitions: 1 });
    await bus.ranges('t');
    const db = new DatabaseSync(scratch.path);
    const table = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'records_%'").get()?.name;
    db.exec(
      `CREATE TRIGGER full BEFORE INSERT ON ${table} WHEN NEW.value = CAST('1500' AS BLOB) BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    db.close();
    const records = Array.from({ length: 5_000 }, (_, i) => ({ key: 'k', value: `${i}` }));
    await expect(bus.append('t', records)).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
    expect(await bus.ranges('t')).toMatchObject([{ endOffset: 1_000 }]);
  });

  test.each([0, 1, 2, 3, 5, 8])(
    'leaves no member in the group if a consumer joins while the bus closes (%i)',
    async (steps) => {
      const bus = await scratch.open();
      await bus.ranges('t');
      const joining = bus.consume({ group: 'g', topics: ['t'], from: 'earliest', onBatch: async () => {} });
      for (let step = 0; step < steps; step++) await Promise.resolve();
      await bus.close();
      const [joined] = await Promise.allSettled([joining]);
      if (joined.status === 'fulfilled') await joined.value.finished;
      else expect(joined.reason).toMatchObject({ code: 'BUS_CLOSED' });
      const db = new DatabaseSync(scratch.path);
      expect(db.prepare('SELECT * FROM members').all()).toEqual([]);
      db.close();
    },
  );

  test('moves the write-ahead log into the file while the log is open', async () => {
    const bus = await scratch.open();
    const before = statSync(scratch.path).size;
    await bus.append(
      't',
      Array.from({ length: 20 }, () => ({ key: 'k', value: new Uint8Array(512 * 1024) })),
    );
    await vi.waitFor(
      () => expect(statSync(scratch.path).size).toBeGreaterThan(before + 4 * 1024 * 1024),
      PATIENCE,
    );
  });

  test('lets other work of the event loop run during a large append and a large read', async () => {
    const bus = await scratch.open();
    let turns = 0;
    let counting = true;
    const count = () => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    count();
    await bus.append(
      't',
      Array.from({ length: 20_000 }, (_, i) => ({ key: `k${i % 50}`, value: 'x' })),
    );
    expect(turns).toBeGreaterThanOrEqual(20);
    turns = 0;
    const sizes: number[] = [];
    const onRecords = (records: readonly unknown[]) => {
      sizes.push(records.length);
      // The loop takes longer than one turn of work may take. So the next records must wait for another turn.
      for (const until = performance.now() + 11; performance.now() < until; );
    };
    const reader = await bus.read({ topics: ['t'], from: 'earliest', maxBatch: 100_000, onRecords });
    await reader.caughtUp;
    await reader.stop();
    counting = false;
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(turns).toBeGreaterThanOrEqual(sizes.length);
  });
});

async function isEmpty(bus: Bus, topic: string): Promise<boolean> {
  return (await bus.ranges(topic)).every(({ startOffset, endOffset }) => startOffset === endOffset);
}
