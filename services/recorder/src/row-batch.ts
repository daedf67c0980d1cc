/** The rows of a batch, sorted by table, and their insertion. */
import {
  type AuditClient,
  type ControlEvent,
  type InsertCounts,
  type KeptBuild,
  type Quarantined,
  quarantine,
  type Recorded,
  recordAuditReads,
  recordContextBuilds,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordRepublications,
  recordSdkRecords,
  recordSettlements,
} from '@mandate/audit';
import type { AuditRead, DeadLetter, Decision, Republication, SdkRecord, Settlement } from '@mandate/schemas';

export type RowBatch = {
  controlEvents: Recorded<ControlEvent>[];
  decisions: Recorded<Decision>[];
  settlements: Recorded<Settlement>[];
  deadLetters: Recorded<DeadLetter['deadLetter']>[];
  republications: Recorded<Republication>[];
  auditReads: Recorded<AuditRead>[];
  sdkRecords: Recorded<SdkRecord>[];
  contextBuilds: Recorded<KeptBuild>[];
  /** Values that cannot be read as records of their topic. */
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
    sdkRecords: [],
    contextBuilds: [],
    unreadable: [],
  };
}

/** How many records became rows, by table, and how many records went to quarantine. */
export type InsertedRows = Record<Exclude<keyof RowBatch, 'unreadable'>, InsertCounts> & {
  unreadable: number;
};

/**
 * Inserts the batches of several partitions together, with one insert for each table. Resolves once everything is
 * stored. After an error, some rows may be stored, and everything must be inserted again.
 *
 * Control events are inserted first. So a row of another table proves that earlier epochs are recorded. A recorder
 * relies on this when it takes over a partition (see epoch-in-force.ts).
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
  const [decisions, settlements, deadLetters, republications, auditReads, sdkRecords, contextBuilds] =
    await Promise.all([
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
      recordSdkRecords(
        audit,
        all((rowBatch) => rowBatch.sdkRecords),
      ),
      recordContextBuilds(
        audit,
        all((rowBatch) => rowBatch.contextBuilds),
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
    sdkRecords,
    contextBuilds,
    unreadable: unreadable.length,
  };
}
