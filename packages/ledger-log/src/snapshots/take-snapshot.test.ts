import { join } from 'node:path';
import { type Bus, fileSnapshots, type Snapshots, topicSnapshots } from '@mandate/bus';
import { type Fold, writeSnapshot } from '@mandate/ledger';
import { stateOf } from '@mandate/ledger/contract';
import { TOPICS } from '@mandate/schemas';
import { busWith } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { clock, decide, log, openedLog } from '../decided-log.fixture.ts';
import { foldLog } from '../fold-log.ts';
import { restoreLedger } from '../restore-ledger.ts';
import { foldAfterSnapshot } from './fold-after-snapshot.ts';
import { saveSnapshotAfterFold, takeSnapshot } from './take-snapshot.ts';

/** Writes the records of one epoch: starts a ledger on the log, and lets it decide `count` requests. */
async function live(bus: Bus, from: number, count: number): Promise<void> {
  const { ledger } = await restoreLedger({ bus, clock, log });
  await decide(bus, ledger, from, count);
}

async function opened() {
  const { bus } = await openedLog();
  return { bus, snapshots: topicSnapshots(bus, TOPICS.snapshots) };
}

/** Folds the log after its newest snapshot. Expects the same result as from the whole log. */
async function checkedFold(bus: Bus, snapshots: Snapshots): Promise<{ records: number; fold: Fold }> {
  const folded = await foldAfterSnapshot({ bus, log, snapshots });
  const { fold: whole } = await foldLog(bus);
  expect(stateOf(folded.fold.state, clock())).toEqual(stateOf(whole.state, clock()));
  expect(folded.fold.positions).toEqual(whole.positions);
  expect(folded.fold.epochs).toEqual(whole.epochs);
  expect(folded.fold.digests).toEqual(whole.digests);
  return folded;
}

describe.each(['file', 'topic'])('a snapshot in a %s', (home) => {
  const openedWith = async () => {
    const { bus, folder } = await openedLog();
    return {
      bus,
      snapshots:
        home === 'file' ? fileSnapshots(join(folder, 'snapshot')) : topicSnapshots(bus, TOPICS.snapshots),
    };
  };

  test('gives, together with the later records, the same fold as the whole log over several epochs', async () => {
    const { bus, snapshots } = await openedWith();
    const all = await checkedFold(bus, snapshots);
    expect(all.records).toBe(0);
    let before = 0;
    for (let life = 0; life < 4; life++) {
      await live(bus, life * 20, 20);
      const { records, fold } = await checkedFold(bus, snapshots);
      expect(records - before).toBe(28);
      before = life % 2 === 0 ? records : 0;
      if (life % 2 === 1) await snapshots.save(writeSnapshot(fold));
    }
  });

  test('is saved only if there are enough records after the newest snapshot', async () => {
    const { bus, snapshots } = await openedWith();
    await live(bus, 0, 20);
    expect(await takeSnapshot({ bus, log, snapshots })).toEqual({
      records: 28,
      afterRecords: 50_000,
      saved: null,
    });
    const taken = await takeSnapshot({ bus, log, snapshots, afterRecords: 28 });
    expect(taken).toMatchObject({ records: 28, saved: { name: expect.any(String) } });
    await live(bus, 20, 5);
    expect(await takeSnapshot({ bus, log, snapshots, afterRecords: 14 })).toMatchObject({
      records: 13,
      saved: null,
    });
    expect((await takeSnapshot({ bus, log, snapshots, afterRecords: 13 })).saved).not.toBe(null);
    expect((await checkedFold(bus, snapshots)).records).toBe(0);
  });

  test('is saved after a long fold, and a failed save stops nothing', async () => {
    const { bus, snapshots } = await openedWith();
    await live(bus, 0, 20);
    const folded = await foldLog(bus);
    await saveSnapshotAfterFold(folded, { snapshots, log, afterRecords: 29 });
    expect((await checkedFold(bus, snapshots)).records).toBe(28);
    const failing = { ...snapshots, save: () => Promise.reject(new Error('no room')) };
    await saveSnapshotAfterFold(folded, { snapshots: failing, log, afterRecords: 28 });
    expect((await checkedFold(bus, snapshots)).records).toBe(28);
    await saveSnapshotAfterFold(folded, { snapshots, log, afterRecords: 28 });
    expect((await checkedFold(bus, snapshots)).records).toBe(0);
  });
});

test('a new snapshot needs more new records if the newest snapshot contains more deliveries', async () => {
  const { bus, snapshots } = await opened();
  await live(bus, 0, 20);
  const large = spoiling(bus, (text) => text.replace(/deliveries\\":\d+/, 'deliveries\\":1000001'));
  await takeSnapshot({ bus, log, snapshots: topicSnapshots(large, TOPICS.snapshots), afterRecords: 1 });
  await live(bus, 20, 5);
  expect(await takeSnapshot({ bus, log, snapshots })).toMatchObject({ records: 13, afterRecords: 250_001 });
});

describe('skips snapshots that cannot be used', () => {
  test.each<[string, (bus: Bus, snapshots: Snapshots, fold: Fold) => Promise<unknown>]>([
    [
      'one whose digest is wrong',
      (bus, _, fold) =>
        topicSnapshots(
          spoiling(bus, (text) => text.replace(/"sha256":"./, '"sha256":"x')),
          TOPICS.snapshots,
        ).save(writeSnapshot(fold)),
    ],
    [
      'one of a format to come',
      (bus, _, fold) =>
        topicSnapshots(
          spoiling(bus, (text) => text.replace(/version\\":\d+/, 'version\\":999')),
          TOPICS.snapshots,
        ).save(writeSnapshot(fold)),
    ],
    ['one that says it is what it is not', (_, snapshots) => snapshots.save(['{"line":"snapshot"}'])],
    ['one that is no snapshot', (_, snapshots) => snapshots.save(['nothing'])],
    [
      'one of another log',
      async (_, snapshots) => snapshots.save(writeSnapshot((await foldLog(await anotherLog())).fold)),
    ],
  ])('%s: uses the snapshot before it', async (_what, spoil) => {
    const { bus, snapshots } = await opened();
    await live(bus, 0, 20);
    await takeSnapshot({ bus, log, snapshots, afterRecords: 1 });
    await live(bus, 20, 10);
    await spoil(bus, snapshots, (await foldLog(bus)).fold);
    expect((await checkedFold(bus, snapshots)).records).toBe(18);
  });

  test('folds the log from its start if no snapshot is left, or if the store cannot be read', async () => {
    const { bus, snapshots } = await opened();
    await live(bus, 0, 20);
    await snapshots.save(['nothing']);
    expect((await checkedFold(bus, snapshots)).records).toBe(28);
    const noTopic = busWith(bus, {
      ranges: (topic) =>
        topic === TOPICS.snapshots ? Promise.reject(new Error('not authorized')) : bus.ranges(topic),
    });
    expect((await checkedFold(bus, topicSnapshots(noTopic, TOPICS.snapshots))).records).toBe(28);
  });

  test('stops while a snapshot is read if the progress callback throws', async () => {
    const { bus, snapshots } = await opened();
    await live(bus, 0, 20);
    await takeSnapshot({ bus, log, snapshots, afterRecords: 1 });
    let asked = 0;
    const overtaken = () => {
      asked += 1;
      if (asked > 1) throw new Error('overtaken');
    };
    await expect(foldAfterSnapshot({ bus, log, snapshots }, overtaken)).rejects.toThrow('overtaken');
    expect(asked).toBe(3);
  });
});

describe('a snapshot', () => {
  test('belongs to this log if a decider of an older epoch wrote the last record in the snapshot', async () => {
    const { bus, snapshots } = await opened();
    const { ledger: zombie } = await restoreLedger({ bus, clock, log });
    await live(bus, 0, 20);
    await decide(bus, zombie, 100, 5);
    await takeSnapshot({ bus, log, snapshots, afterRecords: 1 });
    await decide(bus, zombie, 200, 5);
    expect((await checkedFold(bus, snapshots)).records).toBe(5);
  });

  test('does not belong to this log if the log was restored from a backup and continued in the same epoch', async () => {
    const { bus, snapshots } = await opened();
    const { ledger } = await restoreLedger({ bus, clock, log });
    const { bus: backup } = await opened();
    for (const { partition, offset } of await placesOf(bus)) {
      const record = await bus.at({ topic: TOPICS.decisions, partition, offset });
      if (record !== null) await backup.append(TOPICS.decisions, [{ ...record, partition }]);
    }
    await decide(bus, ledger, 0, 20);
    await takeSnapshot({ bus, log, snapshots, afterRecords: 1 });
    expect((await checkedFold(backup, snapshots)).records).toBe(8);
    await decide(backup, ledger, 100, 30);
    expect((await checkedFold(backup, snapshots)).records).toBe(38);
  });
});

async function anotherLog(): Promise<Bus> {
  const { bus } = await opened();
  await live(bus, 0, 40);
  return bus;
}

async function placesOf(bus: Bus): Promise<{ partition: number; offset: number }[]> {
  const ranges = await bus.ranges(TOPICS.decisions);
  return ranges.flatMap(({ partition, endOffset }) =>
    Array.from({ length: endOffset }, (_, offset) => ({ partition, offset })),
  );
}

/** Returns a log that changes the closing record of a snapshot when it is appended. */
function spoiling(bus: Bus, change: (text: string) => string): Bus {
  return busWith(bus, {
    append: (topic, records) =>
      bus.append(
        topic,
        records.map((record) =>
          typeof record.value === 'string' && topic === TOPICS.snapshots
            ? { ...record, value: change(record.value) }
            : record,
        ),
      ),
  });
}
