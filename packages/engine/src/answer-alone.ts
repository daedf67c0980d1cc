/** Answers records one at a time, on log positions that only this process uses. Nothing is published. */
import type { ActionDecided, ActionSettled, DeadLetter } from '@mandate/schemas';
import type { AnswerContext, Answered, Incoming } from './answer.ts';
import { answerBatch } from './answer-batch.ts';

export type Evaluated = ActionDecided | ActionSettled | DeadLetter;

/** One record on its log position. A repeat after a lost answer of the ledger gets the same answer, and changes nothing. */
export type Delivery = () => Promise<Evaluated>;

/**
 * Returns a function that puts one record on the next log position. The delivery answers the record, and confirms the
 * answer to the ledger at once. The ledger state continues from the previous record.
 *
 * @param topic a name that no other process uses, if the ids of the records must be unique
 */
export function answerAlone(
  context: AnswerContext,
  topic: string,
): (record: Pick<Incoming, 'value' | 'written' | 'fingerprint'>) => Delivery {
  const { ledger, clock } = context;
  let offset = 0;
  return (record) => {
    const source = { topic, partition: 0, offset: offset++ };
    const incoming: Incoming = { source, appendedAtMs: clock(), key: null, ...record };
    let answered: Answered | null = null;
    return async () => {
      answered ??= await answerBatch([incoming], context);
      await ledger.confirm(ledger.epoch, answered.operations);
      const [answer] = answered.answers;
      // An answer is confirmed only after it was kept here, so the record cannot be `published` already.
      if (answer === undefined || answer.kind === 'published') throw new Error('a record was not answered');
      return answer.record;
    };
  };
}
