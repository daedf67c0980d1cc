/** A record of the decisions topic, as every law is given it. */
import type { LogRecord } from '@mandate/bus';
import { type DecisionsRecord, type EpochInForce, epochBehind, holdsIn } from '@mandate/schemas';

export type Read = {
  record: DecisionsRecord;
  log: Pick<LogRecord, 'position' | 'appendedAtMs'>;
  /** A newer epoch than the one that it was made in had begun before it on its partition: as a decision or settlement it is void. */
  isOvertaken: boolean;
  /** What holds behind it on its partition, where it begins that; else null. */
  begins: EpochInForce | null;
};

/** Says of record after record, each partition in its order, what holds there. */
export function readInEpochs(): (record: DecisionsRecord, log: Read['log']) => Read {
  const inForce = new Map<number, EpochInForce>();
  return (record, log) => {
    const { partition } = log.position;
    const before = inForce.get(partition) ?? null;
    if (record.event === 'ledger.epoch') {
      const behind = epochBehind(before, record.epoch);
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
