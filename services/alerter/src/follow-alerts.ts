/**
 * Reads the alerts topic from its start and follows it. All that this process knows of alerts comes from this topic.
 */
import type { Bus, Reader } from '@mandate/bus';
import { type Logger, MandateError, type Running } from '@mandate/runtime';
import {
  type AlertsBegun,
  type AlertsRecord,
  type ReconciledFact,
  readAlertsRecord,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { AlertBook } from './alert-book.ts';
import { Alarms } from './rules/alarms.ts';

/** All records of the topic are in this partition, even if the topic has more partitions. */
export const ALERTS_PARTITION = 0;

export type FollowedAlerts = Required<Running> & {
  alarms: Alarms;
  book: AlertBook;
  /** Where alerting begins, by partition. Null until the first alerter has recorded this. */
  begun(): AlertsBegun['begun'] | null;
  /** The newest result of a reconciler in a tenant. Null if none was reported. */
  lastReconciled(tenant: string): ReconciledFact | null;
  /** Resolves once every record before `offset` was applied. Rejects if the follower stops earlier. */
  reached(offset: number): Promise<void>;
};

/** Resolves once all records that were on the topic at the start have been read. */
export async function followAlerts(bus: Bus, log: Logger): Promise<FollowedAlerts> {
  const alarms = new Alarms();
  const book = new AlertBook();
  let begun: AlertsBegun['begun'] | null = null;
  const reconciled = new Map<string, ReconciledFact>();
  let next = 0;
  let waiting: { offset: number; reached: () => void; ended: (error: unknown) => void }[] = [];

  function apply(record: AlertsRecord, position: { offset: number; at: string }): void {
    if (record.event === 'alerts.begun') begun ??= record.begun;
    if (record.event === 'tenant.reconciled') reconciled.set(record.reconciled.tenant, record.reconciled);
    if (record.event === 'alert.raised' || record.event === 'alert.cleared') alarms.apply(record);
    book.apply(record, position);
  }

  const reader: Reader = await bus.read({
    topics: [TOPICS.alerts],
    from: 'earliest',
    onRecords(records) {
      for (const { position, value, appendedAtMs } of records) {
        const { partition, offset } = position;
        if (partition !== ALERTS_PARTITION) continue;
        try {
          apply(readAlertsRecord(value), { offset, at: wireTime(appendedAtMs) });
        } catch (err) {
          log.error({ err, ...position }, 'a record of the alerts topic cannot be read, and is ignored');
        }
        next = offset + 1;
      }
      for (const { offset, reached } of waiting) if (offset <= next) reached();
      waiting = waiting.filter(({ offset }) => offset > next);
    },
  });
  const end = (error: unknown) => {
    for (const { ended } of waiting.splice(0)) ended(error);
  };
  const stopped = new MandateError('BUS_CLOSED', 'the alerts topic is no longer followed', {
    remedy: 'The process ends, and another process continues.',
  });
  reader.finished.then(() => end(stopped), end);
  await Promise.race([reader.caughtUp, reader.finished]);
  return {
    alarms,
    book,
    begun: () => begun,
    lastReconciled: (tenant) => reconciled.get(tenant) ?? null,
    reached: (offset) =>
      offset <= next
        ? Promise.resolve()
        : new Promise((reached, ended) => waiting.push({ offset, reached, ended })),
    finished: reader.finished,
    stop: () => reader.stop(),
  };
}
