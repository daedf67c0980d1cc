/**
 * Lives of recorders while a log grows: some recorders stop, some die at any insert or commit, some work in pairs.
 */
import { type AuditClient, refreshRollups } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import type { RecorderOptions } from '@mandate/recorder';
import { busWith } from '@mandate/testing';
import fc from 'fast-check';
import type { Entry } from './arbitrary-log.ts';
import type { Recording } from './recording.ts';

const DAY_MS = 86_400_000;
/**
 * The time between two lives. After this time, a recorder treats the earlier records as old, and does not count them
 * again to check.
 */
const BETWEEN_LIVES_MS = 3 * DAY_MS;

export const arbitraryLife = fc.record({
  /** The batches to append: the number of records in each, and whether it is appended twice. */
  appends: fc.array(fc.record({ records: fc.integer({ min: 1, max: 15 }), isTwice: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  /** The number of batches on the log before the recorder starts. */
  ahead: fc.nat(3),
  maxBatch: fc.integer({ min: 1, max: 40 }),
  recorders: fc.constantFrom(1, 1, 2),
  /** The first recorder dies at this insert or commit, counted from 0. Null means that it is stopped instead. */
  diesAt: fc.option(fc.nat(12)),
  /** What refreshes the rollups while records are recorded: the recorder itself, another process, or nothing. */
  sums: fc.constantFrom('kept', 'beside', 'left'),
});
export type Life = typeof arbitraryLife extends fc.Arbitrary<infer T> ? T : never;

/** Runs one life of a recorder. Removes the records that it appends from `ahead`. */
export async function live(recording: Recording, ahead: Entry[], life: Life, nth: number): Promise<void> {
  const { audit, bus } = recording;
  const append = async ({ records, isTwice }: Life['appends'][number]) => {
    const batch = ahead.splice(0, records);
    for (let times = isTwice ? 2 : 1; times > 0; times -= 1) await appendAll(recording, batch);
  };
  for (const batch of life.appends.slice(0, life.ahead)) await append(batch);

  const mortal = life.diesAt === null ? { bus, audit } : dyingAt(life.diesAt, { bus, audit });
  const rollups = life.sums === 'kept' ? { everyMs: 20, quietMs: 0 } : LEFT;
  const options = { ...lifeOf(nth), maxBatch: life.maxBatch, rollups };
  const first = await recording.record({ ...options, ...mortal });
  const others = life.recorders > 1 ? [await recording.record(options)] : [];
  // The first recorder may die, which is no fault of the test.
  first.finished.catch(() => {});
  const summing = life.sums === 'beside' ? refreshRollups(audit, { quietMs: 0, mostRows: 20 }) : null;
  for (const batch of life.appends.slice(life.ahead)) await append(batch);
  await summing;
  if (life.diesAt !== null) await Promise.race([first.finished, first.caughtUp()]).catch(() => {});
  await Promise.all([first, ...others].map((recorder) => recorder.stop()));
}

/** Starts one more recorder, which does all work that the earlier recorders left. */
export async function catchUp(recording: Recording, nth: number): Promise<void> {
  const recorder = await recording.record(lifeOf(nth));
  await recorder.caughtUp();
  await recorder.stop();
}

/** Options with which no process refreshes the rollups during a test. */
const LEFT = { everyMs: DAY_MS, quietMs: DAY_MS };

function lifeOf(nth: number): Partial<RecorderOptions> {
  const clock = () => Date.now() + nth * BETWEEN_LIVES_MS;
  return { gatherMs: 1, sessionTimeoutMs: 300, clock, rollups: LEFT };
}

/** Appends the entries in order, each to its partition. */
export async function appendAll(recording: Recording, entries: readonly Entry[]): Promise<void> {
  for (const { record, partition } of entries) await recording.append([record], partition);
}

/** Returns a log and tables that fail after `deeds` inserts and commits. */
function dyingAt(deeds: number, { bus, audit }: { bus: Bus; audit: AuditClient }) {
  let left = deeds;
  const live = async () => {
    left -= 1;
    if (left < 0) throw new Error('died');
  };
  const mortalAudit: AuditClient = {
    ...audit,
    insert: (table, rows) => live().then(() => audit.insert(table, rows)),
  };
  const mortalBus = busWith(bus, {
    consume: (options) =>
      bus.consume({
        ...options,
        onBatch: (batch) =>
          options.onBatch({ ...batch, commit: (offset) => live().then(() => batch.commit(offset)) }),
      }),
  });
  return { audit: mortalAudit, bus: mortalBus };
}
