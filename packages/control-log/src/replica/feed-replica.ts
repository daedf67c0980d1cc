/** Sends all records of the control topic to a replica, and then each new record. */
import type { Bus, Snapshots } from '@mandate/bus';
import { type Logger, type Running, turns } from '@mandate/runtime';
import { PARTITION, readFrom } from '../control-changes.ts';
import { isOnLog, newestStored } from '../snapshots/newest-fold.ts';
import type { FedReplica } from './control-replica.ts';

/** How many lines or records are sent at once. Sending copies them from one thread to the other. */
const LINES = 500;
const RECORDS = 200;
const LANE = ['control replica'];

/**
 * @param options.snapshots contains the newest snapshot; if absent, the replica reads the topic from its start
 * @returns when the replica has read the topic to its end; `finished` rejects when no more records can be sent to the
 *   replica
 */
export async function feedReplica(
  { bus, log, snapshots }: { bus: Bus; log: Logger; snapshots?: Snapshots | undefined },
  replica: FedReplica,
): Promise<Required<Running>> {
  const next = snapshots === undefined ? 0 : await restored(bus, log, snapshots, replica);
  const reader = await bus.read({
    ...readFrom(next),
    maxBatch: RECORDS,
    async onRecords(records) {
      const changes = records
        .filter(({ position }) => position.partition === PARTITION)
        .map(({ position, value }) => ({ offset: position.offset, value }));
      await replica.apply(changes);
    },
  });
  try {
    await reader.caughtUp;
  } catch (error) {
    await reader.stop();
    throw error;
  }
  return { stop: () => reader.stop(), finished: reader.finished };
}

/** @returns the offset of the first record that the replica does not contain yet */
async function restored(bus: Bus, log: Logger, snapshots: Snapshots, replica: FedReplica): Promise<number> {
  const stored = await newestStored(bus, log, snapshots);
  if (stored === null) return 0;
  let some: string[] = [];
  for await (const line of stored.lines()) {
    some.push(line);
    if (some.length < LINES) continue;
    await replica.addLines(some);
    some = [];
    if (turns.isOver()) await turns.next(LANE);
  }
  await replica.addLines(some);
  const position = await replica.restore();
  // The snapshot file may have been replaced after its first line was read. Then its content belongs to another
  // snapshot.
  if (position === null || !(await isOnLog(bus, position)))
    throw new Error('the snapshot was replaced meanwhile');
  return position.offset + 1;
}
