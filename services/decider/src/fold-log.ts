/**
 * The log as a ledger has it: every record of the decisions topic, folded from its start or from where the newest
 * snapshot ends.
 */
import { createHash } from 'node:crypto';
import { type Bus, type LogRecord, recordUnreadable } from '@mandate/bus';
import { createFold, type Fold, foldRecord } from '@mandate/ledger';
import type { Logger } from '@mandate/runtime';
import { type DecisionsRecord, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { loadSnapshot, saveSnapshot } from './snapshot-file.ts';

/** A fold, and how many records of which kind went into it. */
export type FoldedLog = { fold: Fold; records: number; decisions: number; settlements: number };

/** Told now and then how many records were read; reading waits for it. What it throws ends the reading. */
export type OnProgress = (records: number) => void | Promise<void>;

/** Everything that is on the decisions topic now, folded. */
export function foldLog(bus: Bus, onProgress?: OnProgress): Promise<FoldedLog> {
  return foldOnto(createFold(), bus, onProgress);
}

/** Where a snapshot is looked for, and left behind when much had to be folded; undefined: nowhere. */
export type Snapshots = { path: string | undefined; afterRecords?: number | undefined };

/** A tail longer than this is worth a new snapshot: folding it takes about as long as a process does to start. */
const SNAPSHOT_AFTER_RECORDS = 50_000;

/** The same, behind the newest snapshot where there is one of this log. `records` are those behind it. */
export async function foldBehindSnapshot(
  bus: Bus,
  log: Logger,
  { path, afterRecords = SNAPSHOT_AFTER_RECORDS }: Snapshots,
  onProgress?: OnProgress,
): Promise<FoldedLog> {
  if (path === undefined) return foldLog(bus, onProgress);
  const folded = await foldBehind(bus, await loadSnapshot(path, log), log, onProgress);
  if (folded.records >= afterRecords) await saveSnapshot(path, folded.fold, log);
  return folded;
}

async function foldBehind(
  bus: Bus,
  snapshot: Fold | null,
  log: Logger,
  onProgress?: OnProgress,
): Promise<FoldedLog> {
  if (snapshot === null) return foldLog(bus, onProgress);
  if (await isOfThisLog(bus, snapshot)) return foldOnto(snapshot, bus, onProgress);
  log.warn('the snapshot is of another log; this one is folded from its start');
  return foldLog(bus, onProgress);
}

/**
 * Does the log hold, where the snapshot ends, what the snapshot has seen there? Epochs have names of their own, so one
 * that differs tells of another history: a log that was deleted, or put back from a backup and written on since.
 */
async function isOfThisLog(bus: Bus, { positions, epochs }: Fold): Promise<boolean> {
  for (const [partition, offset] of positions) {
    const record = await bus.at({ topic: TOPICS.decisions, partition, offset });
    if (record === null) return false;
    const epoch = epochOf(readDecisionsRecord(record.value));
    if (epoch !== null && epoch !== epochs.get(partition)?.id) return false;
  }
  return true;
}

/** The epoch in which a record was written; a revive names none. */
function epochOf(record: DecisionsRecord): string | null {
  switch (record.event) {
    case 'action.decided':
      return record.decision.ledgerEpoch;
    case 'action.settled':
      return record.settlement.ledgerEpoch;
    case 'agent.killed':
      return record.kill.ledgerEpoch;
    case 'agent.revived':
      return null;
    case 'budget.adjusted':
      return record.adjustment.ledgerEpoch;
    case 'approval.recorded':
      return record.approval.ledgerEpoch;
    case 'ledger.epoch':
      return record.epoch.id;
  }
}

/** What lies behind the positions of `fold`, folded onto it. */
export async function foldOnto(fold: Fold, bus: Bus, onProgress?: OnProgress): Promise<FoldedLog> {
  const counted = { records: 0, decisions: 0, settlements: 0 };
  const last = new Map<number, Uint8Array>();
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: Object.fromEntries(
      [...fold.positions].map(([partition, offset]) => [`${TOPICS.decisions}/${partition}`, offset + 1]),
    ),
    async onRecords(batch) {
      for (const record of batch) {
        const { event } = foldOne(fold, record);
        last.set(record.coordinate.partition, record.value);
        counted.records++;
        if (event === 'action.decided') counted.decisions++;
        if (event === 'action.settled') counted.settlements++;
      }
      await onProgress?.(counted.records);
    },
  });
  await Promise.race([reader.caughtUp, reader.finished]);
  await reader.stop();
  for (const [partition, value] of last) fold.digests.set(partition, digestOf(value));
  return { fold, ...counted };
}

/** By which a record is known again. */
export function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

function foldOne(fold: Fold, { coordinate, value }: LogRecord): DecisionsRecord {
  try {
    const record = readDecisionsRecord(value);
    foldRecord(fold, { source: coordinate, record });
    return record;
  } catch (cause) {
    throw recordUnreadable(coordinate, cause);
  }
}
