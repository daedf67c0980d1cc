/** Answers records one at a time, on log positions that only this process uses. Nothing is published. */
import type { ActionDecided, ActionSettled, DeadLetter } from '@mandate/schemas';
import type { AnswerContext, Incoming } from './answer.ts';
import { answerBatch } from './answer-batch.ts';

export type Evaluated = ActionDecided | ActionSettled | DeadLetter;

/**
 * Returns a function that answers one record, and confirms the answer to the ledger at once. The ledger state
 * continues from the previous record.
 *
 * @param topic a name that no other process uses, if the ids of the records must be unique
 */
export function answerAlone(
  context: AnswerContext,
  topic: string,
): (record: Pick<Incoming, 'value' | 'written' | 'fingerprint'>) => Promise<Evaluated> {
  const { ledger, clock } = context;
  let offset = 0;
  return async (record) => {
    const source = { topic, partition: 0, offset: offset++ };
    const incoming: Incoming = { source, appendedAtMs: clock(), key: null, ...record };
    const { answers, operations } = await answerBatch([incoming], context);
    await ledger.confirm(ledger.epoch, operations);
    const [answer] = answers;
    // Each record has a new offset, so the answer cannot be `published` already.
    if (answer === undefined || answer.kind === 'published') throw new Error('a record was not answered');
    return answer.record;
  };
}
