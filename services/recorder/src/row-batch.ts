/** Records on their way into the tables, sorted by table, and their insertion. */
import {
  type AuditClient,
  type ControlEvent,
  type InsertCounts,
  type Quarantined,
  quarantine,
  type Recorded,
  recordAuditReads,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordRepublications,
  recordSettlements,
} from '@mandate/audit';
import type { AuditRead, DeadLetter, Decision, Republication, Settlement } from '@mandate/schemas';

export type RowBatch = {
  controlEvents: Recorded<ControlEvent>[];
  decisions: Recorded<Decision>[];
  settlements: Recorded<Settlement>[];
  deadLetters: Recorded<DeadLetter['deadLetter']>[];
  republications: Recorded<Republication>[];
  auditReads: Recorded<AuditRead>[];
  /** Values that are not records of their topic. */
  unreadable: Quarantined[];
};

export function emptyRowBatch(): RowBatch {
  return {
    controlEvents: [],
    decisions: [],
    settlements: [],
    deadLetters: [],
    republications: [],
    auditReads: [],
    unreadable: [],
  };
}

/** How many records became rows, by table, and how many went to quarantine. */
export type InsertedRows = Record<Exclude<keyof RowBatch, 'unreadable'>, InsertCounts> & {
  unreadable: number;
};

/**
 * Inserts the batches of several partitions together, with one insert for each table. Resolves once everything is
 * stored. After an error it is unknown what was stored, and everything must be inserted again.
 *
 * Control events come first. A row of another table therefore proves that the epochs before it are recorded. A
 * recorder relies on that when it takes over a partition (see epoch-in-force.ts).
 */
export async function insertRowBatches(
  audit: AuditClient,
  rowBatches: readonly RowBatch[],
): Promise<InsertedRows> {
  const all = <T>(of: (rowBatch: RowBatch) => readonly T[]) => rowBatches.flatMap(of);
  const unreadable = all((rowBatch) => rowBatch.unreadable);
  const controlEvents = await recordControlEvents(
    audit,
    all((rowBatch) => rowBatch.controlEvents),
  );
  const [decisions, settlements, deadLetters, republications, auditReads] = await Promise.all([
    recordDecisions(
      audit,
      all((rowBatch) => rowBatch.decisions),
    ),
    recordSettlements(
      audit,
      all((rowBatch) => rowBatch.settlements),
    ),
    recordDeadLetters(
      audit,
      all((rowBatch) => rowBatch.deadLetters),
    ),
    recordRepublications(
      audit,
      all((rowBatch) => rowBatch.republications),
    ),
    recordAuditReads(
      audit,
      all((rowBatch) => rowBatch.auditReads),
    ),
    quarantine(audit, unreadable),
  ]);
  return {
    controlEvents,
    decisions,
    settlements,
    deadLetters,
    republications,
    auditReads,
    unreadable: unreadable.length,
  };
}
