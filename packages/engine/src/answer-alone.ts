/** Answers records one at a time, on log positions that only this process uses. Nothing is published. */
import type { ActionDecided, ActionSettled, DeadLetter } from '@mandate/schemas';
import type { AnswerContext, Answered, Incoming } from './answer.ts';
import { answerBatch } from './answer-batch.ts';

export type Evaluated = ActionDecided | ActionSettled | DeadLetter;

/**
 * Delivers one record to the ledger, always on the same log position. If the answer of the ledger was lost, call this
 * function again: the ledger counts the record once, and the answer stays the same.
 */
export type Delivery<Answer> = () => Promise<Answer>;

/**
 * Returns a function that gives a record the next log position. Its delivery answers the record, and at once confirms
 * the answer to the ledger. The ledger state continues from the previous record.
 *
 * @param topic a name that no other process uses, if the ids of the records must be unique
 */
export function answerAlone(
  context: AnswerContext,
  topic: string,
): (record: Pick<Incoming, 'value' | 'written' | 'fingerprint'>) => Delivery<Evaluated> {
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
      // The answer is kept before it is confirmed, so no repeat asks the ledger about a confirmed record.
      if (answer === undefined || answer.kind === 'published') throw new Error('a record was not answered');
      return answer.record;
    };
  };
}
