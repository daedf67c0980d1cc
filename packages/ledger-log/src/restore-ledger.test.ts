import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileSnapshots } from '@mandate/bus';
import { expect, test } from 'vitest';
import { clock, decide, log, openedLog } from './decided-log.fixture.ts';
import { appendEpoch } from './ledger-epoch.ts';
import { restoreLedger } from './restore-ledger.ts';

async function opened() {
  const { bus, folder } = await openedLog();
  const path = join(folder, 'snapshot.ndjson');
  return { path, options: { bus, clock, log, snapshots: fileSnapshots(path) } };
}

test('folds only the records after the snapshot of an earlier start, and builds the same ledger', async () => {
  const { options } = await opened();
  const { bus } = options;
  const first = await restoreLedger({ ...options, snapshotAfterRecords: 10 });
  await decide(bus, first.ledger, 0, 30);
  const second = await restoreLedger({ ...options, snapshotAfterRecords: 10 });
  await decide(bus, second.ledger, 30, 5);

  const third = await restoreLedger({ ...options, snapshotAfterRecords: 1_000 });
  const whole = await restoreLedger({ bus, clock, log });
  expect([second.records, third.records, whole.records]).toEqual([38, 13, 59]);
  expect(await third.ledger.balances('default')).toEqual(await whole.ledger.balances('default'));
  expect(await third.ledger.open('default')).toEqual(await whole.ledger.open('default'));
  expect(await third.ledger.balances('default')).toMatchObject([{ spent: 35 * 10_000 }]);
});

test('keeps later changes of the ledger out of the snapshot', async () => {
  const { options } = await opened();
  const { ledger } = await restoreLedger({ ...options, snapshotAfterRecords: 1 });
  await decide(options.bus, ledger, 0, 20);
  const left = await restoreLedger({ ...options, snapshotAfterRecords: 1 });
  await decide(options.bus, left.ledger, 20, 20);
  const { records, ledger: again } = await restoreLedger({ ...options, snapshotAfterRecords: 1 });
  expect(records).toBe(28);
  expect(await again.balances('default')).toMatchObject([{ spent: 40 * 10_000 }]);
});

test('restores the ledger even if the disk is too full for a snapshot', async () => {
  const { path, options } = await opened();
  const first = await restoreLedger({ bus: options.bus, clock, log });
  await decide(options.bus, first.ledger, 0, 20);
  symlinkSync('/dev/full', `${path}.unfinished`);
  const { ledger } = await restoreLedger({ ...options, snapshotAfterRecords: 1 });
  expect(await ledger.balances('default')).toMatchObject([{ spent: 20 * 10_000 }]);
});

test("starts with a generation above the log's, even if its clock is slow", async () => {
  const { options } = await opened();
  const { bus } = options;
  const generation = clock() + 1_000_000;
  await appendEpoch(bus, clock, { id: 'ep_ahead', generation, previous: null, reason: 'test' });
  const { ledger } = await restoreLedger(options);
  expect(ledger.generation).toBe(generation + 1);
  await decide(bus, ledger, 0, 20);
  const { ledger: again } = await restoreLedger(options);
  expect(await again.balances('default')).toMatchObject([{ spent: 20 * 10_000 }]);
  clock.advance(2_000_000);
  expect((await restoreLedger(options)).ledger.generation).toBe(clock());
});

test('keeps the replay memory from the log, whichever process restores the ledger', async () => {
  const { options } = await opened();
  const memoryOf = async (replayMemoryMs?: number) =>
    (await restoreLedger({ ...options, replayMemoryMs })).ledger.replayMemoryMs;
  expect([await memoryOf(60_000), await memoryOf(), await memoryOf(1_000), await memoryOf(90_000)]).toEqual([
    60_000, 60_000, 60_000, 90_000,
  ]);
});
