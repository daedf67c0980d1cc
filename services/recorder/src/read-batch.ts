/**
 * Turns records of the log into rows of the audit's tables. Marks a record void if a newer ledger epoch began before
 * it.
 */
import type { Batch, LogRecord } from '@mandate/bus';
import { turns } from '@mandate/runtime';
import { DEFAULTS, type EpochInForce, epochAfter, holdsIn, TOPICS, traceIdIn } from '@mandate/schemas';
import { readAccess, readContext, readDeadLetters, readDecision, readSdk } from './read-record.ts';
import { emptyRowBatch, type RowBatch } from './row-batch.ts';

/** Returns for how many days the records of a tenant's context builder are kept. */
export type KeepDays = (tenant: string) => number;

export type ReadBatch = {
  rowBatch: RowBatch;
  /** The ledger epoch in force after the batch. Null if the log has no epoch record so far. */
  epoch: EpochInForce | null;
};

const LANE = ['recorder'];
const DAY_MS = 24 * 3_600_000;

/**
 * @param epoch the ledger epoch in force before the batch
 * @returns every record of the batch, either for its table or as unreadable with its bytes and the reason
 */
export async function readBatch(
  { topic, records }: Pick<Batch, 'topic' | 'records'>,
  {
    epoch,
    recordedAtMs,
    keepContextDays = () => DEFAULTS.contextDays,
  }: { epoch: EpochInForce | null; recordedAtMs: number; keepContextDays?: KeepDays | undefined },
): Promise<ReadBatch> {
  const rowBatch = emptyRowBatch();
  let inForce = epoch;
  for (const logged of records) {
    const { position, value, headers } = logged;
    if (turns.isOver()) await turns.next(LANE);
    const origin = { value, position, recordedAtMs, traceId: traceIdIn(headers) };
    const read = readAs(topic, logged);
    if (!read.ok) {
      rowBatch.unreadable.push({ ...origin, meantFor: '', reason: read.reason });
      continue;
    }
    const { record } = read;
    switch (record.event) {
      case 'action.decided': {
        const isVoid = !holdsIn(inForce, record.decision.ledgerEpoch);
        rowBatch.decisions.push({ ...origin, record: record.decision, void: isVoid });
        break;
      }
      case 'action.settled': {
        const isVoid = !holdsIn(inForce, record.settlement.ledgerEpoch);
        rowBatch.settlements.push({ ...origin, record: record.settlement, void: isVoid });
        break;
      }
      case 'dead.letter':
        rowBatch.deadLetters.push({ ...origin, record: record.deadLetter, void: false });
        break;
      case 'deadletter.republished':
        rowBatch.republications.push({ ...origin, record: record.republication, void: false });
        break;
      case 'audit.read':
        rowBatch.auditReads.push({ ...origin, record: record.read, void: false });
        break;
      case 'sdk.decided':
      case 'sdk.settled':
        // The ledger of an SDK has other epochs than the ledger of the plane, so its records are never void.
        rowBatch.sdkRecords.push({ ...origin, record, void: false });
        break;
      case 'context.built': {
        const keptUntilMs = Date.parse(record.build.builtAt) + keepContextDays(record.build.tenant) * DAY_MS;
        rowBatch.contextBuilds.push({ ...origin, record: { ...record, keptUntilMs }, void: false });
        break;
      }
      case 'ledger.epoch': {
        const after = epochAfter(inForce, record.epoch);
        rowBatch.controlEvents.push({ ...origin, record, void: after === inForce });
        inForce = after;
        break;
      }
      default:
        // An operator's command is valid in every epoch, so it is never void.
        rowBatch.controlEvents.push({ ...origin, record, void: false });
    }
  }
  return { rowBatch, epoch: inForce };
}

function readAs(topic: string, logged: LogRecord) {
  if (topic === TOPICS.deadLetters) return readDeadLetters(logged);
  if (topic === TOPICS.sdkRecords) return readSdk(logged);
  if (topic === TOPICS.context) return readContext(logged);
  return topic === TOPICS.access ? readAccess(logged) : readDecision(logged);
}
