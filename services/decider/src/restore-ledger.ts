/**
 * The ledger of a single process comes back from the log: fold every decision, then say on every partition that a new
 * epoch begins. Whoever calls this must be the only one that decides on this log (see `holdExclusively`).
 */
import { randomUUID } from 'node:crypto';
import type { Bus, LogRecord } from '@mandate/bus';
import { createFold, createMemoryLedger, type Fold, foldRecord, type MemoryLedger } from '@mandate/ledger';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import {
  type DecisionsRecord,
  type LedgerEpoch,
  readDecisionsRecord,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { loadSnapshot, saveSnapshot } from './snapshot-file.ts';

/** `records` were folded, behind the snapshot if there was one. */
export type Restored = { ledger: MemoryLedger; records: number; tookMs: number };

/** A tail longer than this is worth a new snapshot: folding it takes about as long as a process does to start. */
const SNAPSHOT_AFTER_RECORDS = 50_000;

export async function restoreLedger(options: {
  bus: Bus;
  clock: Clock;
  log: Logger;
  reason?: string;
  /** Where a snapshot is looked for, and left behind when much had to be folded. */
  snapshotPath?: string;
  snapshotAfterRecords?: number;
}): Promise<Restored> {
  const { bus, clock, log, snapshotPath } = options;
  const startedMs = performance.now();
  const snapshot = snapshotPath === undefined ? null : await loadSnapshot(snapshotPath, log);
  const { fold, records } = await foldBehind(bus, snapshot, log);
  if (snapshotPath !== undefined && records >= (options.snapshotAfterRecords ?? SNAPSHOT_AFTER_RECORDS)) {
    await saveSnapshot(snapshotPath, fold, log);
  }
  const epoch = `ep_${clock().toString(36)}_${randomUUID().slice(0, 8)}`;
  await appendEpoch(bus, {
    event: 'ledger.epoch',
    epoch: {
      id: epoch,
      previous: fold.epochs.values().next().value ?? null,
      reason: options.reason ?? 'the ledger was restored from the log',
      at: wireTime(clock()),
    },
  });
  const ledger = createMemoryLedger({ clock, epoch, state: fold.state, log });
  const tookMs = Math.round(performance.now() - startedMs);
  log.info({ epoch, records, tookMs }, 'the ledger is restored from the log');
  return { ledger, records, tookMs };
}

/** A fold, and how many records of which kind went into it. */
export type FoldedLog = { fold: Fold; records: number; decisions: number; settlements: number };

/** Everything that is on the decisions topic now, folded. */
export function foldLog(bus: Bus, onProgress?: OnProgress): Promise<FoldedLog> {
  return foldOnto(createFold(), bus, onProgress);
}

/** Told now and then how many records were read. What it throws ends the reading. */
type OnProgress = (records: number) => void;

async function foldBehind(bus: Bus, snapshot: Fold | null, log: Logger): Promise<FoldedLog> {
  if (snapshot === null) return foldLog(bus);
  if (await isOfThisLog(bus, snapshot)) return foldOnto(snapshot, bus);
  log.warn('the snapshot is of another log; this one is folded from its start');
  return foldLog(bus);
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
    if (epoch !== null && epoch !== epochs.get(partition)) return false;
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

async function foldOnto(fold: Fold, bus: Bus, onProgress?: OnProgress): Promise<FoldedLog> {
  const counted = { records: 0, decisions: 0, settlements: 0 };
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: Object.fromEntries(
      [...fold.positions].map(([partition, offset]) => [`${TOPICS.decisions}/${partition}`, offset + 1]),
    ),
    onRecords(batch) {
      for (const record of batch) {
        const { event } = foldOne(fold, record);
        counted.records++;
        if (event === 'action.decided') counted.decisions++;
        if (event === 'action.settled') counted.settlements++;
      }
      onProgress?.(counted.records);
    },
  });
  await Promise.race([reader.caughtUp, reader.finished]);
  await reader.stop();
  return { fold, ...counted };
}

function foldOne(fold: Fold, { coordinate, value }: LogRecord): DecisionsRecord {
  try {
    const record = readDecisionsRecord(value);
    foldRecord(fold, { source: coordinate, record });
    return record;
  } catch (cause) {
    const place = `${coordinate.topic}/${coordinate.partition}/${coordinate.offset}`;
    throw new MandateError('LOG_UNREADABLE', `the record at ${place} cannot be folded into the ledger`, {
      remedy:
        'Look at that record: a decisions topic holds only what Mandate wrote. Is this binary older than the log?',
      cause,
    });
  }
}

async function appendEpoch(bus: Bus, record: LedgerEpoch): Promise<void> {
  const partitions = await bus.ranges(TOPICS.decisions);
  const value = JSON.stringify(record);
  await bus.append(
    TOPICS.decisions,
    partitions.map(({ partition }) => ({ key: null, value, partition })),
  );
}
