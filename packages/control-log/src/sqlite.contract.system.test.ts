import { join } from 'node:path';
import { createSqliteBus, fileSnapshots, topicSnapshots } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busWith, temporaryFolder, waitUntil } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { controlLogContract } from './contract.ts';
import { followControl } from './follow-control.ts';
import { controlSnapshotsContract, write } from './snapshots/contract.ts';
import { takeControlSnapshot } from './snapshots/take-snapshot.ts';

const log = silentLogger();

async function open(folder: string) {
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  return bus;
}

describe('the control topic on the log of a single machine', () => {
  controlLogContract(() => open(temporaryFolder()));
});

describe('snapshots of the control topic in a file', () => {
  controlSnapshotsContract(async () => {
    const folder = temporaryFolder();
    return { bus: await open(folder), snapshots: fileSnapshots(join(folder, 'snapshot')) };
  });
});

describe('snapshots of the control topic on a topic', () => {
  controlSnapshotsContract(async () => {
    const bus = await open(temporaryFolder());
    return { bus, snapshots: topicSnapshots(bus, TOPICS.controlSnapshots) };
  });
});

test('stops without waiting for a log that is unreachable', async () => {
  const bus = await open(temporaryFolder());
  const snapshots = topicSnapshots(bus, TOPICS.controlSnapshots);
  await write(bus, 5);
  const stopping = new AbortController();
  const away = busWith(bus, {
    async read(options) {
      const reader = await bus.read(options);
      const { promise: caughtUp, reject } = Promise.withResolvers<void>();
      setImmediate(() => stopping.abort());
      return { ...reader, caughtUp, stop: () => reader.stop().then(() => reject(new Error('stopped'))) };
    },
  });
  const taking = takeControlSnapshot({ bus: away, log, snapshots, afterRecords: 1, signal: stopping.signal });
  await expect(taking).rejects.toThrow('stopped');
});

test('refuses to follow a log whose start is gone, with a snapshot or without', async () => {
  const path = join(temporaryFolder(), 'log.sqlite');
  const retentionMs = { [TOPICS.control]: 1 };
  const options = { path, log, retentionMs, sweepEveryMs: 1, clock: () => Date.now() + 86_400_000 };
  const bus = await open(join(path, '..'));
  const snapshots = topicSnapshots(bus, TOPICS.controlSnapshots);
  await write(bus, 5);
  await takeControlSnapshot({ bus, log, snapshots, afterRecords: 1 });
  const sweeper = await createSqliteBus(options);
  onTestFinished(() => sweeper.close());
  await waitUntil('the sweep', async () => (await bus.ranges(TOPICS.control))[0]?.startOffset === 5);
  for (const from of [{}, { snapshots }])
    await expect(followControl({ bus, log, ...from })).rejects.toMatchObject({ code: 'BUS_OFFSET_LOST' });
});
