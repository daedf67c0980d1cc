/** A record of the decisions topic, with the data that every law needs. */
import type { LogRecord } from '@mandate/bus';
import { type DecisionsRecord, type EpochInForce, epochAfter, holdsIn } from '@mandate/schemas';

export type Read = {
  record: DecisionsRecord;
  log: Pick<LogRecord, 'position' | 'appendedAtMs'>;
  /** True if a newer epoch began on the partition before this record. A decision or settlement is then void. */
  isOvertaken: boolean;
  /** The epoch that this record begins, if it comes into force. Otherwise null. */
  begins: EpochInForce | null;
};

/**
 * Returns a function that reads one record after another, each partition in its order. The function adds the epoch in
 * force to each record.
 */
export function readInEpochs(): (record: DecisionsRecord, log: Read['log']) => Read {
  const inForce = new Map<number, EpochInForce>();
  return (record, log) => {
    const { partition } = log.position;
    const before = inForce.get(partition) ?? null;
    if (record.event === 'ledger.epoch') {
      const behind = epochAfter(before, record.epoch);
      inForce.set(partition, behind);
      return { record, log, isOvertaken: false, begins: behind === before ? null : behind };
    }
    const made = madeIn(record);
    return { record, log, isOvertaken: made !== null && !holdsIn(before, made), begins: null };
  };
}

function madeIn(record: DecisionsRecord): string | null {
  switch (record.event) {
    case 'action.decided':
      return record.decision.ledgerEpoch;
    case 'action.settled':
      return record.settlement.ledgerEpoch;
    case 'agent.killed':
      return record.kill.ledgerEpoch;
    case 'budget.adjusted':
      return record.adjustment.ledgerEpoch;
    case 'approval.recorded':
      return record.approval.ledgerEpoch;
    case 'agent.revived':
    case 'ledger.epoch':
      return null;
  }
}
