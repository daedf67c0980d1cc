/**
 * Which ledger epoch is in force at an offset of a decisions partition: that follows from the epoch records before it
 * (see the schemas' epochBehind). It is a function of the log alone, so every recorder marks the same rows void,
 * whichever reads them and however often.
 *
 * A recorder that goes on where it stopped knows it. One that takes a partition over does not, and reading the log
 * backwards to the last announcement may mean millions of records. So it asks the tables first, but for no more than
 * they prove: the epoch in force before a row that is on record (see the audit's epochBefore). Rows without any epoch
 * before them prove nothing: the tables were emptied behind the announcement. What the tables do not prove, it
 * reads from the log: usually nothing, everything when the tables were emptied or dropped. An announcement behind the
 * offset, landed by a recorder that died before it committed, is left out by asking for what lies before.
 */
import { type AuditClient, ask, epochBefore } from '@mandate/audit';
import type { Bus, LogPosition, LogRecord } from '@mandate/bus';
import { type EpochInForce, epochBehind, type LedgerEpoch, TOPICS } from '@mandate/schemas';
import { readBetween } from './read-between.ts';
import { readDecision } from './read-record.ts';

export type EpochsInForce = {
  /** The epoch in force before `place`; null while none was announced in its partition. */
  before(place: LogPosition): Promise<EpochInForce | null>;
  /** The epoch in force before `place`, from a reader that read up to there. */
  remember(place: LogPosition, epoch: EpochInForce | null): void;
};

export function epochsInForce({ audit, bus }: { audit: AuditClient; bus: Bus }): EpochsInForce {
  const remembered = new Map<number, { offset: number; epoch: EpochInForce | null }>();
  return {
    async before(place) {
      if (place.topic !== TOPICS.decisions) return null;
      const known = remembered.get(place.partition);
      if (known?.offset === place.offset) return known.epoch;
      const [onRecord] = await ask(audit, epochBefore, place);
      const proven = onRecord?.ledgerEpoch ? { ...onRecord, id: onRecord.ledgerEpoch } : null;
      const unproven = { ...place, offset: (proven?.through ?? -1) + 1 };
      const announced = await announcedFrom(bus, unproven, place.offset);
      return announced.reduce<EpochInForce | null>(epochBehind, proven);
    },
    remember({ topic, partition, offset }, epoch) {
      // Another topic has partitions and offsets of the same numbers, and no epochs.
      if (topic === TOPICS.decisions) remembered.set(partition, { offset, epoch });
    },
  };
}

type Announced = Pick<LedgerEpoch['epoch'], 'id' | 'generation'>;

/** What is announced from `start` on and before `endOffset`, as the log says, in its order. */
async function announcedFrom(bus: Bus, start: LogPosition, endOffset: number): Promise<Announced[]> {
  const announced: Announced[] = [];
  await readBetween(bus, start, endOffset, (record) => void announced.push(...announcedBy(record)));
  return announced;
}

function announcedBy(logged: LogRecord): Announced[] {
  const { value } = logged;
  // Most records are decisions, and reading one in full takes far longer than this glance.
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!bytes.includes('ledger.epoch')) return [];
  const read = readDecision(logged);
  return read.ok && read.record.event === 'ledger.epoch' ? [read.record.epoch] : [];
}
