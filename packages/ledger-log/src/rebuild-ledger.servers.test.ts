/**
 * Tests that the shared ledger is rebuilt from the log. The tests use a real Redis and delete its data. They decide
 * the order of records on the log.
 */
import { type Bus, type Snapshots, topicSnapshots } from '@mandate/bus';
import { createMemoryLedger, type Ledger, LedgerNotReady } from '@mandate/ledger';
import { createRedisLedger } from '@mandate/ledger/redis';
import { MandateError, manualClock } from '@mandate/runtime';
import { readDecisionsRecord, TOPICS } from '@mandate/schemas';
import {
  busWith,
  describeWithOwnServers,
  emptyRedis,
  type RedisServer,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { clock, decided, log, openedLog, publish } from './decided-log.fixture.ts';
import { foldLog } from './fold-log.ts';
import { lostLedger, rebuildLedger } from './rebuild-ledger.ts';
import { superviseLedger } from './supervise-ledger.ts';

const CENT = 10_000;

describeWithOwnServers(['redis'], 'the shared ledger', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
  });
  afterAll(() => redis?.stop());
  beforeEach(() => emptyRedis(redis.url).then(() => {}));

  async function connected() {
    const ledger = await createRedisLedger({ url: redis.url, clock });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  test('contains every record before its epoch once, and no later record of an older epoch', async () => {
    const bus = await openLog();
    const ledger = await connected();
    await rebuildLedger({ bus, ledger, clock, log }, lostLedger(''));
    await publish(bus, ledger, await decided(ledger, 0, 10));
    // These decisions were made before the loss and are published after it.
    const late = await decided(ledger, 10, 5);
    const { epoch } = ledger;
    await emptyRedis(redis.url);
    clock.advance(1);

    const another = await connected();
    const lateOnLog = busWith(bus, {
      async read(options) {
        await bus.append(TOPICS.decisions, late.records);
        return bus.read(options);
      },
    });
    await rebuildLedger({ bus: lateOnLog, ledger: another, clock, log }, lostLedger(''));
    expect(await spentIn(another)).toEqual([10 * CENT]);
    await expect(ledger.confirm(epoch, late.operations)).rejects.toMatchObject({
      code: 'LEDGER_EPOCH_CHANGED',
    });

    await publish(bus, ledger, await decided(ledger, 10, 5));
    expect(await spentIn(another)).toEqual([15 * CENT]);
    expect(await spentOnLog(bus)).toEqual([15 * CENT]);
  });

  test('is rebuilt by exactly one of the processes that notice the loss', async () => {
    const bus = await openLog();
    const ledgers = await Promise.all([connected(), connected(), connected()]);
    const keepers = ledgers.map((ledger) => superviseLedger({ bus, ledger, clock, log }));
    const allReady = () =>
      Promise.all(ledgers.map((ledger) => ledger.ping())).then(
        () => true,
        () => false,
      );
    await waitUntil('the first ledger', allReady);
    expect(await epochsOn(bus)).toHaveLength(1);
    const [first] = ledgers;
    await publish(bus, first as Ledger, await decided(first as Ledger, 0, 10));

    await emptyRedis(redis.url);
    await waitUntil('the second', allReady);
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    const epochs = await epochsOn(bus);
    expect(epochs).toHaveLength(2);
    expect(ledgers.map(({ epoch }) => epoch)).toEqual(ledgers.map(() => epochs[1]));
    expect(await spentIn(ledgers[2] as Ledger)).toEqual([10 * CENT]);
    await Promise.all(keepers.map((keeper) => keeper.finished));
  });

  test('is not rebuilt again because of an error from before the rebuild', async () => {
    const bus = await openLog();
    const [one, another] = [await connected(), await connected()];
    await rebuildLedger({ bus, ledger: one, clock, log }, lostLedger(''));
    await another.ping();
    await emptyRedis(redis.url);
    const met: unknown = await another.ping().catch((error: unknown) => error);
    await rebuildLedger({ bus, ledger: one, clock, log }, lostLedger(one.epoch));
    await another.ping();

    const keeper = superviseLedger({ bus, ledger: another, clock, log });
    keeper.requestRebuild(met);
    await keeper.stop();
    expect(await epochsOn(bus)).toHaveLength(2);
  });

  /** Returns a log that delays its first append until the function `meanwhile` has ended. */
  function heldUp(bus: Bus, meanwhile: () => Promise<void>): Bus {
    let held = true;
    return busWith(bus, {
      async append(topic, records) {
        if (held) {
          held = false;
          await meanwhile();
        }
        return bus.append(topic, records);
      },
    });
  }

  test.each([
    ['its lease ran out', async () => void clock.advance(20_001)],
    [
      'Redis was emptied',
      async () => {
        await emptyRedis(redis.url);
        clock.advance(1);
      },
    ],
  ])(
    "belongs to the rebuild that began last if %s before the other rebuild's record was on the log",
    async (_, lost) => {
      const bus = await openLog();
      const [slow, quick] = [await connected(), await connected()];
      const slowLog = heldUp(bus, async () => {
        await lost();
        await rebuildLedger({ bus, ledger: quick, clock, log }, lostLedger(''));
        await publish(bus, quick, await decided(quick, 0, 10));
      });
      const lostBefore = lostLedger('');
      await expect(
        rebuildLedger({ bus: slowLog, ledger: slow, clock, log }, lostBefore),
      ).rejects.toMatchObject({
        code: 'LEDGER_UNAVAILABLE',
      });
      await rebuildLedger({ bus: slowLog, ledger: slow, clock, log }, lostBefore);

      expect(await epochsOn(bus)).toEqual([quick.epoch, lostBefore.epoch]);
      expect(slow.epoch).toBe(quick.epoch);
      expect(await spentOnLog(bus)).toEqual([10 * CENT]);
      await publish(bus, slow, await decided(slow, 10, 5));
      expect(await spentOnLog(bus)).toEqual([15 * CENT]);
      expect(await spentIn(quick)).toEqual([15 * CENT]);
    },
  );

  test('is rebuilt once more if the current epoch is not valid on the log', async () => {
    const bus = await openLog();
    const [slow, old] = [await connected(), await connected()];
    // A log with epoch records that have no generation, as an older version writes them.
    const oldLog = busWith(bus, {
      append: (topic, records) =>
        bus.append(
          topic,
          records.map((record) => ({
            ...record,
            value: String(record.value).replace(/"generation":\d+,/, ''),
          })),
        ),
    });
    const slowLog = heldUp(bus, async () => {
      clock.advance(20_001);
      await rebuildLedger({ bus: oldLog, ledger: old, clock, log }, lostLedger(''));
      await publish(bus, old, await decided(old, 0, 10));
    });
    const keeper = superviseLedger({ bus: slowLog, ledger: slow, clock, log });
    await waitUntil('both to hold the epoch that began last', async () => {
      const epochs = await epochsOn(bus);
      await old.ping().catch(() => {});
      return epochs.length === 3 && old.epoch === epochs[2] && slow.epoch === epochs[2];
    });
    await publish(bus, old, await decided(old, 10, 5));
    expect(await spentOnLog(bus)).toEqual([15 * CENT]);
    expect(await spentIn(slow)).toEqual([15 * CENT]);
    await keeper.stop();
  });

  test("never uses a generation below the log's, even on a server whose clock is slow", async () => {
    const bus = await openLog();
    const lost = await connected();
    await rebuildLedger({ bus, ledger: lost, clock, log }, lostLedger(''));
    await publish(bus, lost, await decided(lost, 0, 10));
    await emptyRedis(redis.url);

    const behind = manualClock(clock() - 60_000);
    const ledger = await createRedisLedger({ url: redis.url, clock: behind });
    onTestFinished(() => ledger.close());
    const lostBefore = lostLedger('');
    await expect(rebuildLedger({ bus, ledger, clock, log }, lostBefore)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: expect.stringContaining('The log holds a newer epoch'),
    });
    await expect(ledger.ping()).rejects.toThrow(/being rebuilt/);
    await rebuildLedger({ bus, ledger, clock, log }, lostBefore);
    expect(ledger.generation).toBe(lost.generation + 1);
    await publish(bus, ledger, await decided(ledger, 10, 5));
    expect(await spentOnLog(bus)).toEqual([15 * CENT]);
    expect(await spentIn(ledger)).toEqual([15 * CENT]);
  });

  test('is available before its snapshot is saved, even if the save never ends', async () => {
    const bus = await openLog();
    const ledger = await connected();
    const home = topicSnapshots(bus, TOPICS.snapshots);
    let held = 0;
    /** Errors of the ledger while a snapshot is being saved. There must be none. */
    const early: unknown[] = [];
    const snapshots: Snapshots = {
      newestFirst: () => home.newestFirst(),
      async save(lines, signal) {
        await ledger.ping().catch((error: unknown) => early.push(error));
        const saved = await home.save(lines);
        if (held > 0) return saved;
        held += 1;
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const keeper = superviseLedger({ bus, ledger, clock, log, snapshots, snapshotAfterRecords: 1 });
    const left = async () => {
      let count = 0;
      for await (const _ of home.newestFirst()) count += 1;
      return count;
    };
    await waitUntil('a snapshot', async () => (await left()) === 1);
    await publish(bus, ledger, await decided(ledger, 0, 10));

    await emptyRedis(redis.url);
    await waitUntil('another, while the first hangs', async () => (await left()) === 2);
    expect(await spentIn(ledger)).toEqual([10 * CENT]);
    snapshots.save = () => Promise.reject(new Error('no room'));
    await emptyRedis(redis.url);
    await waitUntil('the ledger', async () => (await epochsOn(bus)).length === 3);
    await waitUntil('it to be ready', () =>
      ledger.ping().then(
        () => true,
        () => false,
      ),
    );
    expect(await spentIn(ledger)).toEqual([10 * CENT]);
    await keeper.stop();
    await keeper.finished;
    expect(await left()).toBe(2);
    expect(early).toEqual([]);
  });

  test.each([
    ['is no record of ours', 'not ours'],
    ['only newer deciders know', '{"event":"budget.frozen","frozen":{"tenant":"default"}}'],
  ])('is not rebuilt if the log contains a record that %s', async (_, value) => {
    const bus = await openLog();
    await bus.append(TOPICS.decisions, [{ key: null, value }]);
    const keeper = superviseLedger({ bus, ledger: await connected(), clock, log });
    await expect(keeper.finished).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await keeper.stop();
  });

  test.each(['looks', 'was about to rebuild it'])(
    'ends the supervisor with LEDGER_NEWER if newer deciders took over, found when the supervisor %s',
    async (when) => {
      const bus = await openLog();
      const found = new MandateError('LEDGER_NEWER', 'theirs', { remedy: 'upgrade', retryable: true });
      const lost = new LedgerNotReady('emptied', '', 'empty');
      const ledger = {
        epoch: '',
        ping: () => Promise.reject(when === 'looks' ? found : lost),
        beginRebuild: () => Promise.reject(found),
      };
      const keeper = superviseLedger({ bus, ledger, clock, log });
      await expect(keeper.finished).rejects.toBe(found);
      await keeper.stop();
      expect(await epochsOn(bus)).toEqual([]);
    },
  );
});

async function openLog(): Promise<Bus> {
  return (await openedLog({ partitions: 2 })).bus;
}

async function spentIn(ledger: Ledger): Promise<number[]> {
  return (await ledger.balances('default')).map(({ spent }) => spent);
}

async function spentOnLog(bus: Bus): Promise<number[]> {
  const { fold } = await foldLog(bus);
  return spentIn(createMemoryLedger({ clock, epoch: 'folded', state: fold.state }));
}

/** Returns the ids of the epochs in the first partition, in their order on the log. */
async function epochsOn(bus: Bus): Promise<string[]> {
  const [range] = await bus.ranges(TOPICS.decisions);
  const epochs: string[] = [];
  for (let offset = 0; offset < (range?.endOffset ?? 0); offset += 1) {
    const found = await bus.at({ topic: TOPICS.decisions, partition: range?.partition ?? 0, offset });
    const record = found === null ? null : readDecisionsRecord(found.value);
    if (record?.event === 'ledger.epoch') epochs.push(record.epoch.id);
  }
  return epochs;
}
