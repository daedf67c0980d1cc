/**
 * Decides when a snapshot of the control topic is taken, and takes it. It builds the state a second time for this, so
 * that requests are not delayed.
 */
import { createHash } from 'node:crypto';
import type { Bus, SavedSnapshot, Snapshots } from '@mandate/bus';
import { type ControlPosition, writeControl } from '@mandate/control';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { changesIn, PARTITION, readFrom } from '../control-changes.ts';
import { type FoldSoFar, newestFold, newestHead, sha256Of } from './newest-fold.ts';

/** Applying fewer records than this takes no longer than a process takes to start. */
const AFTER_RECORDS = 50_000;

const LANE = ['snapshots'];

export type Taking = {
  bus: Bus;
  log: Logger;
  snapshots: Snapshots;
  /** A snapshot is worth taking if this many records follow the newest one. Default {@link AFTER_RECORDS}. */
  afterRecords?: number | undefined;
  signal?: AbortSignal;
};

/** `nextAt`: when the log has this many records, another snapshot is worth taking. */
type Taken = { saved: SavedSnapshot | null; nextAt: number };

/**
 * Takes a snapshot if enough records follow the newest one. Throws the errors of the log and of the snapshot store.
 */
export async function takeControlSnapshot(taking: Taking): Promise<Taken> {
  const { bus, log, snapshots, signal } = taking;
  const before = await worthAt(taking);
  if ((await endOf(bus)) < before) return { saved: null, nextAt: before };
  const soFar = await newestFold(bus, log, snapshots);
  const position = await foldOn(bus, soFar, signal);
  // Another control service may have taken a snapshot in the meantime.
  const meanwhile = await worthAt(taking);
  if (position === null || position.offset + 1 < meanwhile) return { saved: null, nextAt: meanwhile };
  const lines = writeControl(soFar.fold, position, createHash('sha256'));
  const saved = await snapshots.save(lines, signal);
  return { saved, nextAt: await worthAt(taking) };
}

/**
 * Requires new records for at least a quarter of the entries in the newest snapshot. So all snapshots together stay
 * much smaller than the log.
 */
async function worthAt({ bus, log, snapshots, afterRecords = AFTER_RECORDS }: Taking): Promise<number> {
  const head = await newestHead(bus, log, snapshots);
  if (head === null) return afterRecords;
  return head.offset + 1 + Math.max(afterRecords, Math.ceil(head.entries / 4));
}

async function endOf(bus: Bus): Promise<number> {
  const ranges = await bus.ranges(TOPICS.control);
  return ranges.find(({ partition }) => partition === PARTITION)?.endOffset ?? 0;
}

/** Applies all records up to the end of the log. Returns null if no record was read. */
async function foldOn(
  bus: Bus,
  { fold, next }: FoldSoFar,
  signal: AbortSignal | undefined,
): Promise<ControlPosition | null> {
  let last: { offset: number; value: Uint8Array } | null = null;
  const reader = await bus.read({
    ...readFrom(next),
    async onRecords(records) {
      for await (const { change, ...read } of changesIn(records, LANE)) {
        fold.apply(change, read.offset + 1);
        last = read;
      }
    },
  });
  // Stops the reader on abort. Needed also if the log is unreachable and no record arrives.
  const giveUp = () => void reader.stop();
  signal?.addEventListener('abort', giveUp);
  try {
    await reader.caughtUp;
  } finally {
    signal?.removeEventListener('abort', giveUp);
    await reader.stop();
  }
  return positionIn(last);
}

function positionIn(last: { offset: number; value: Uint8Array } | null): ControlPosition | null {
  return last && { offset: last.offset, sha256: sha256Of(last.value) };
}
