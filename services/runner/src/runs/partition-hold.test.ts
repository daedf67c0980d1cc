import { expect, test } from 'vitest';
import { PartitionHold } from './partition-hold.ts';
import type { BookedRun } from './run-book.ts';

const RUN = { runId: 'run_1' } as BookedRun;
const LONG = { quietMs: 60_000, keepMs: 60_000 };

const isSettled = async (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);

test('nothing begins before the runner holds the partition, or after the partition was taken away', async () => {
  const hold = new PartitionHold();
  expect(await isSettled(hold.untilHeld())).toBe(false);
  hold.confirm();
  await hold.untilHeld();
  await hold.release(LONG);
  expect(await isSettled(hold.untilHeld())).toBe(false);
  expect(hold.signal.aborted).toBe(false);
  hold.confirm();
  await hold.untilHeld();
});

test('a partition is released when no call is running', async () => {
  const hold = new PartitionHold();
  hold.confirm();
  hold.setBusy(RUN, true);
  const released = hold.release(LONG);
  expect(await isSettled(released)).toBe(false);
  hold.setBusy(RUN, false);
  await released;
  hold.lose();
});

test('a long call does not keep a partition, and continues', async () => {
  const hold = new PartitionHold();
  hold.confirm();
  hold.setBusy(RUN, true);
  await hold.release({ quietMs: 1, keepMs: 60_000 });
  expect(hold.signal.aborted).toBe(false);
  hold.lose();
  await expect(hold.untilHeld()).rejects.toThrow();
});

test('a partition that does not come back is lost', async () => {
  const hold = new PartitionHold();
  hold.confirm();
  await hold.release({ quietMs: 1, keepMs: 1 });
  await expect(hold.untilHeld()).rejects.toThrow();
  expect(hold.signal.aborted).toBe(true);
});
