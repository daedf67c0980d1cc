/**
 * Finds the ledger epoch that is in force at an offset of a decisions partition. It follows from the epoch records
 * before the offset (see the schemas' epochAfter), so it depends on the log alone. Every recorder therefore marks the
 * same rows void.
 *
 * A recorder that continues where it stopped knows the epoch. A recorder that takes over a partition does not, and
 * the last epoch record may be millions of records back. So it asks the tables first, but only for facts that they
 * prove: the epoch in force before a recorded row (see the audit's epochBefore). Rows with no epoch before them prove
 * nothing, because the tables may have been emptied after the epoch record. The rest is read from the log: usually
 * nothing, or everything if the tables were emptied or dropped. A recorder that died before its commit may have
 * inserted an epoch record from after the offset. This record does not count, because the question asks only for rows
 * before the offset.
 */
import { type AuditClient, ask, epochBefore } from '@mandate/audit';
import type { Bus, LogPosition, LogRecord } from '@mandate/bus';
import { type EpochInForce, epochAfter, type LedgerEpoch, TOPICS } from '@mandate/schemas';
import { readBetween } from './read-between.ts';
import { readDecision } from './read-record.ts';

export type EpochsInForce = {
  /**
   * Resolves to the epoch in force before the log position. Null if its partition has no epoch record before that.
   */
  before(position: LogPosition): Promise<EpochInForce | null>;
  /** Stores the epoch in force before a log position. Call this after all records before this position were read. */
  remember(position: LogPosition, epoch: EpochInForce | null): void;
};

export function epochsInForce({ audit, bus }: { audit: AuditClient; bus: Bus }): EpochsInForce {
  const remembered = new Map<number, { offset: number; epoch: EpochInForce | null }>();
  return {
    async before(position) {
      if (position.topic !== TOPICS.decisions) return null;
      const known = remembered.get(position.partition);
      if (known?.offset === position.offset) return known.epoch;
      const [onRecord] = await ask(audit, epochBefore, position);
      const proven = onRecord?.ledgerEpoch ? { ...onRecord, id: onRecord.ledgerEpoch } : null;
      const unproven = { ...position, offset: (proven?.through ?? -1) + 1 };
      const announced = await announcedFrom(bus, unproven, position.offset);
      return announced.reduce<EpochInForce | null>(epochAfter, proven);
    },
    remember({ topic, partition, offset }, epoch) {
      // Only the decisions topic has epochs. Other topics have the same partition numbers and offsets.
      if (topic === TOPICS.decisions) remembered.set(partition, { offset, epoch });
    },
  };
}

type Announced = Pick<LedgerEpoch['epoch'], 'id' | 'generation'>;

/** Returns the epochs that the log announces from `start` to before `endOffset`, in order. */
async function announcedFrom(bus: Bus, start: LogPosition, endOffset: number): Promise<Announced[]> {
  const announced: Announced[] = [];
  await readBetween(bus, start, endOffset, (record) => void announced.push(...announcedBy(record)));
  return announced;
}

function announcedBy(logged: LogRecord): Announced[] {
  const { value } = logged;
  // The text is searched first, because most records are decisions, and parsing takes far longer.
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!bytes.includes('ledger.epoch')) return [];
  const read = readDecision(logged);
  return read.ok && read.record.event === 'ledger.epoch' ? [read.record.epoch] : [];
}
