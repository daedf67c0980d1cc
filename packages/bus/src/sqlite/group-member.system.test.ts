import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Batch, Bus, ConsumerOptions } from '../port.ts';
import { processIdentity } from './process-identity.ts';
import { Scratch } from './testing/scratch.ts';

// Tests a member that other members believe to be dead, or that releases its partitions too slowly. The tests write
// rows of other members into the file.
const scratch = new Scratch();
let bus: Bus;
let db: DatabaseSync;
/** The timeout is long for a busy machine. An idle machine needs a fraction of a second. */
const PATIENCE = { timeout: 20_000, interval: 5 };

beforeEach(async () => {
  await scratch.make();
  bus = await scratch.open({ partitions: 2 });
  await bus.ranges('t');
  db = new DatabaseSync(scratch.path, { timeout: 1_000 });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  db.close();
  await scratch.remove();
});

test('takes over the partitions of a member that sends no more heartbeats', async () => {
  const seen: string[] = [];
  const machineTimeMs = Number(process.hrtime.bigint() / 1_000_000n);
  db.exec(`
    INSERT INTO members VALUES ('g', 'ghost', '["t"]', ${machineTimeMs}, 100, '["elsewhere", 1, null]');
    INSERT INTO positions SELECT 'g', id, 0, 'ghost', 1 FROM partitions;
  `);
  const consumer = await consume(remember(seen), { sessionTimeoutMs: 100 });
  await fill('x');
  await vi.waitFor(() => expect(seen).toEqual(['x', 'x']), PATIENCE);
  expect(members()).toHaveLength(1);
  await consumer.stop();
});

test('treats a member as silent if it joined before the machine was restarted', async () => {
  db.exec(`INSERT INTO members VALUES ('g', 'ghost', '[]', 9007199254740991, 0, '["elsewhere", 1, null]')`);
  const consumer = await consume(async () => {});
  await vi.waitFor(() => expect(members()).toHaveLength(1), PATIENCE);
  await consumer.stop();
});

test('takes the partitions of a member at once if its process is gone', async () => {
  const seen: string[] = [];
  const machineTimeMs = Number(process.hrtime.bigint() / 1_000_000n);
  const [space] = JSON.parse(processIdentity());
  db.exec(`
    INSERT INTO members VALUES ('g', 'ghost', '["t"]', ${machineTimeMs}, 3600000, '${JSON.stringify([space, process.pid, 'an earlier start'])}');
    INSERT INTO positions SELECT 'g', id, 0, 'ghost', 1 FROM partitions;
  `);
  const consumer = await consume(remember(seen));
  await fill('x');
  await vi.waitFor(() => expect(seen).toEqual(['x', 'x']), PATIENCE);
  await consumer.stop();
});

test('keeps the partitions of a live member that is only idle', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'hrtime'] });
  const idle = await consume(async () => {}, { sessionTimeoutMs: 40 });
  const other = await consume(async () => {}, { sessionTimeoutMs: 40 });
  const joined = members();
  expect(joined).toHaveLength(2);
  const since = Math.max(...seenTimes());
  for (let ms = 0; ms < 160; ms++) {
    vi.advanceTimersByTime(1);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  }
  expect(members()).toEqual(joined);
  expect(Math.min(...seenTimes())).toBeGreaterThan(since + 120);
  await Promise.all([idle.stop(), other.stop()]);
  expect(members()).toEqual([]);
});

test('an expelled member joins again, and continues', async () => {
  const consumer = await consume(remember([]), { sessionTimeoutMs: 100 });
  const allDone = async () => expect((await consumer.lag()).map(({ lag }) => lag)).toEqual([0, 0]);
  await fill('before');
  await vi.waitFor(allDone, PATIENCE);
  db.exec(`
    DELETE FROM members;
    UPDATE positions SET owner = NULL;
    UPDATE generations SET generation = generation + 1;
  `);
  await fill('after');
  await vi.waitFor(allDone, PATIENCE);
  expect(members()).toHaveLength(1);
  await consumer.stop();
});

test('takes away a partition that a member does not release within a session, leaves the member its other partitions, and never runs two handlers for one partition', async () => {
  // While this clock stands still, no member is expelled as silent, even on a busy machine. The time limit for a
  // release still applies.
  holdMachineTime();
  await fill('x');
  const holding: Batch[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let atWork = 0;
  const slow = await consume(
    async (batch) => {
      holding.push(batch);
      atWork += 1;
      await released;
      atWork -= 1;
      await batch.commit(1);
    },
    { sessionTimeoutMs: 60 },
  );
  await vi.waitFor(() => expect(holding).toHaveLength(2), PATIENCE);
  const seen: string[] = [];
  const other = await consume(remember(seen), { sessionTimeoutMs: 60 });
  await vi.waitFor(() => expect(seen).toEqual(['x']), PATIENCE);
  const lost = holding.find(({ signal }) => signal.aborted);
  const kept = holding.find(({ signal }) => !signal.aborted);
  await expect(lost?.heartbeat()).rejects.toMatchObject({ code: 'BUS_FENCED' });
  await kept?.heartbeat();

  // The other member stops, so the slow member gets the partition back while its first handler still runs.
  await other.stop();
  await vi.waitFor(() => expect(owners()[0]).toBe(owners()[1]), PATIENCE);
  await fill('y');
  expect(atWork).toBe(2);
  expect(holding).toHaveLength(2);
  release();
  await vi.waitFor(() => expect(holding.length).toBeGreaterThanOrEqual(4), PATIENCE);
  await slow.stop();
  await expect(slow.finished).resolves.toBeUndefined();
});

/** Stops the clock that decides whether a member is silent. */
function holdMachineTime(): void {
  const heldAt = process.hrtime.bigint();
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(heldAt);
}

function consume(onBatch: (batch: Batch) => Promise<void>, fields: Partial<ConsumerOptions> = {}) {
  return bus.consume({ group: 'g', topics: ['t'], from: 'earliest', maxBatch: 1, onBatch, ...fields });
}

function remember(seen: string[]): (batch: Batch) => Promise<void> {
  return async (batch) => {
    seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
    await batch.commit((batch.records[0]?.position.offset ?? 0) + 1);
  };
}

function fill(value: string) {
  return bus.append(
    't',
    [0, 1].map((partition) => ({ key: null, value, partition })),
  );
}

function members(): unknown[] {
  return db.prepare('SELECT member FROM members').all();
}

function owners(): unknown[] {
  return db
    .prepare('SELECT owner FROM positions')
    .all()
    .map(({ owner }) => owner);
}

function seenTimes(): number[] {
  return db
    .prepare('SELECT seen_ms FROM members')
    .all()
    .map((row) => Number(row.seen_ms));
}
