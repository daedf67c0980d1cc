/** Recorders as they come and go beside a log that grows: some stop, some die at any of their deeds, some work in pairs. */
import { type AuditClient, refreshRollups } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import type { RecorderOptions } from '@mandate/recorder';
import { busWith } from '@mandate/testing';
import fc from 'fast-check';
import type { Entry } from './arbitrary-log.ts';
import type { Recording } from './recording.ts';

const DAY_MS = 86_400_000;
/** As if everything before this life had been recorded long ago, so that it does not count it again to be sure. */
const BETWEEN_LIVES_MS = 3 * DAY_MS;

export const arbitraryLife = fc.record({
  /** So many records are appended at once, again and again, and some of these batches twice. */
  appends: fc.array(fc.record({ records: fc.integer({ min: 1, max: 15 }), isTwice: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  /** How many of the batches lie there before the recorder begins. */
  ahead: fc.nat(3),
  maxBatch: fc.integer({ min: 1, max: 40 }),
  recorders: fc.constantFrom(1, 1, 2),
  /** The first of them dies at this insert or commit, so behind all of those before; null: it is stopped. */
  diesAt: fc.option(fc.nat(12)),
  /** Sums are brought up to date while it records: by the recorder itself, or by another process beside it. */
  sums: fc.constantFrom('kept', 'beside', 'left'),
});
export type Life = typeof arbitraryLife extends fc.Arbitrary<infer T> ? T : never;

/** Takes what it appends from `ahead`. */
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
  // Each of them may die, and one that did not may be stopped in the middle.
  first.finished.catch(() => {});
  const summing = life.sums === 'beside' ? refreshRollups(audit, { quietMs: 0, mostRows: 20 }) : null;
  for (const batch of life.appends.slice(life.ahead)) await append(batch);
  await summing;
  if (life.diesAt !== null) await Promise.race([first.finished, first.caughtUp()]).catch(() => {});
  await Promise.all([first, ...others].map((recorder) => recorder.stop()));
}

/** Has one recorder after all the others do what they left. */
export async function catchUp(recording: Recording, nth: number): Promise<void> {
  const recorder = await recording.record(lifeOf(nth));
  await recorder.caughtUp();
  await recorder.stop();
}

/** Sums that no process brings up to date. */
const LEFT = { everyMs: DAY_MS, quietMs: DAY_MS };

function lifeOf(nth: number): Partial<RecorderOptions> {
  const clock = () => Date.now() + nth * BETWEEN_LIVES_MS;
  return { gatherMs: 1, sessionTimeoutMs: 300, clock, rollups: LEFT };
}

/** In the order given, each where it belongs. */
export async function appendAll(recording: Recording, entries: readonly Entry[]): Promise<void> {
  for (const { record, partition } of entries) await recording.append([record], partition);
}

/** What a recorder is given that does so much and no more, neither to the tables nor to the log. */
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
