/**
 * Puts every decision and settlement that reaches the log on the board: one reader a process, however many wait. It
 * begins at the end of the log, for nobody waits yet. When it fails the process must: its callers would wait for
 * answers that never come.
 */
import type { Bus, LogRecord } from '@mandate/bus';
import type { Running } from '@mandate/runtime';
import { type DecisionsRecord, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import type { AnswerBoard } from './answer-board.ts';

/**
 * @param epoch the ledger's, where there is one. A decision of another epoch behind the `ledger.epoch` record is void,
 *   and nobody gets to see it. Without a ledger only epochs that begin from now on are known.
 */
export async function followDecisions(options: {
  bus: Bus;
  board: AnswerBoard;
  epoch: string | null;
}): Promise<Running> {
  const { bus, board } = options;
  const epochs = new Map<number, string>();

  const isVoid = (partition: number, ledgerEpoch: string) => {
    const epoch = epochs.get(partition) ?? options.epoch;
    return epoch !== null && epoch !== ledgerEpoch;
  };
  const take = ({ coordinate: { partition }, value }: LogRecord, record: DecisionsRecord) => {
    if (record.event === 'ledger.epoch') epochs.set(partition, record.epoch.id);
    if (record.event === 'action.decided' && !isVoid(partition, record.decision.ledgerEpoch)) {
      board.post(record, value.length);
    }
    if (record.event === 'action.settled' && !isVoid(partition, record.settlement.ledgerEpoch)) {
      board.post(record, value.length);
    }
  };
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'latest',
    onRecords: (records) => {
      for (const record of records) take(record, readDecisionsRecord(record.value));
    },
  });
  return { stop: () => reader.stop(), finished: reader.finished };
}
