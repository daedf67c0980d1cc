/** Restores the control state from the newest snapshot. The caller then applies the records after the snapshot. */
import { createHash } from 'node:crypto';
import { type Bus, newestUsable, type Snapshots, type StoredSnapshot } from '@mandate/bus';
import {
  type ControlFold,
  type ControlPosition,
  foldControl,
  readControl,
  readControlHead,
} from '@mandate/control';
import { type Logger, MandateError } from '@mandate/runtime';
import { positionOf } from '../control-changes.ts';

/** `next`: the offset of the first record that is not in the state. */
export type FoldSoFar = { fold: ControlFold; next: number };

/** Never fails because of a snapshot or its store. A snapshot is used as a whole, or not at all. */
export async function newestFold(
  bus: Bus,
  log: Logger,
  snapshots: Snapshots | undefined,
): Promise<FoldSoFar> {
  const fromStart = { fold: foldControl(), next: 0 };
  if (snapshots === undefined) return fromStart;
  try {
    return (await newestUsable(snapshots, log, (stored) => foldIn(bus, stored))) ?? fromStart;
  } catch (error) {
    log.warn({ err: error }, 'snapshots cannot be read; the log is folded from its start');
    return fromStart;
  }
}

/** Returns the first line of the newest snapshot that looks usable. The other lines are not read. */
export function newestHead(bus: Bus, log: Logger, snapshots: Snapshots) {
  return newestUsable(snapshots, log, (stored) => headIn(bus, stored));
}

/** Returns the newest snapshot that looks usable. Null if there is none, or if snapshots cannot be read. */
export async function newestStored(
  bus: Bus,
  log: Logger,
  snapshots: Snapshots,
): Promise<StoredSnapshot | null> {
  try {
    return await newestUsable(snapshots, log, async (stored) =>
      (await headIn(bus, stored)) === null ? null : stored,
    );
  } catch (error) {
    log.warn({ err: error }, 'snapshots cannot be read; the log is folded from its start');
    return null;
  }
}

async function foldIn(bus: Bus, stored: StoredSnapshot): Promise<FoldSoFar | null> {
  if ((await headIn(bus, stored)) === null) return null;
  const read = await readControl(stored.lines(), createHash('sha256'));
  if (!read.ok) throw unreadable(read.why);
  // The snapshot file may have been replaced after its first line was read.
  return (await isOnLog(bus, read.position)) ? { fold: read.fold, next: read.position.offset + 1 } : null;
}

async function headIn(bus: Bus, stored: StoredSnapshot) {
  const head = readControlHead(await stored.head());
  if (head === null) throw unreadable('it is of another version');
  return (await isOnLog(bus, head)) ? head : null;
}

/**
 * False if the snapshot belongs to another log: the last record of the snapshot differs from the record on the log at
 * this offset.
 */
export async function isOnLog(bus: Bus, { offset, sha256 }: ControlPosition): Promise<boolean> {
  const record = await bus.at(positionOf(offset));
  return record !== null && sha256 === sha256Of(record.value);
}

export function sha256Of(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function unreadable(why: string): MandateError {
  return new MandateError('SNAPSHOT_UNREADABLE', `The snapshot cannot be read: ${why}.`, {
    remedy: 'No action is needed: the previous snapshot is used, or the log is folded from its start.',
  });
}
