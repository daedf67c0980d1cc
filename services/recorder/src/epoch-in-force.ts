/**
 * Which ledger epoch is in force at an offset of a decisions partition. That follows from the epoch records before it
 * (see the schemas' epochAfter), so it depends on the log alone. Every recorder therefore marks the same rows void,
 * and marks them again in the same way.
 *
 * A recorder that goes on where it stopped knows the epoch. A recorder that takes a partition over does not, and
 * reading the log back to the last epoch record may mean millions of records. So it asks the tables first, but only
 * for what they prove: the epoch in force before a recorded row (see the audit's epochBefore). Rows with no epoch
 * before them prove nothing, because the tables may have been emptied after the epoch record. What the tables do not
 * prove is read from the log: usually nothing, or everything if the tables were emptied or dropped. A recorder that
 * died before its commit may have inserted an epoch record from after the offset. The question asks only for rows
 * before the offset, so this one is left out.
 */
import { type AuditClient, ask, epochBefore } from '@mandate/audit';
import type { Bus, LogPosition, LogRecord } from '@mandate/bus';
import { type EpochInForce, epochAfter, type LedgerEpoch, TOPICS } from '@mandate/schemas';
import { readBetween } from './read-between.ts';
import { readDecision } from './read-record.ts';

export type EpochsInForce = {
  /** The epoch in force before the log position; null if none was announced in its partition so far. */
  before(position: LogPosition): Promise<EpochInForce | null>;
  /** Remembers the epoch in force before a log position, from a reader that read up to there. */
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
      // Other topics have the same partitions and offsets, but no epochs.
      if (topic === TOPICS.decisions) remembered.set(partition, { offset, epoch });
    },
  };
}

type Announced = Pick<LedgerEpoch['epoch'], 'id' | 'generation'>;

/** Returns the epochs announced on the log from `start` up to, but without, `endOffset`, in their order. */
async function announcedFrom(bus: Bus, start: LogPosition, endOffset: number): Promise<Announced[]> {
  const announced: Announced[] = [];
  await readBetween(bus, start, endOffset, (record) => void announced.push(...announcedBy(record)));
  return announced;
}

function announcedBy(logged: LogRecord): Announced[] {
  const { value } = logged;
  // Most records are decisions. To parse one takes far longer than this search for a text.
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!bytes.includes('ledger.epoch')) return [];
  const read = readDecision(logged);
  return read.ok && read.record.event === 'ledger.epoch' ? [read.record.epoch] : [];
}
