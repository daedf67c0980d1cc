/** The decider's own policy, ledger and batch code, in this process: nothing is published, and no deadline applies. */
import { type AnswerContext, answerBatch } from '@mandate/decider';
import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import type { MandatesInForce } from '@mandate/policy';
import type { ActionDecided, ActionSettled, DeadLetter } from '@mandate/schemas';

export type Evaluated = ActionDecided | ActionSettled | DeadLetter;

export type OfflineDecider = {
  ledger: Ledger;
  /** Of a record of the actions topic, decided where the last one left everything. */
  answer(value: Uint8Array): Promise<Evaluated>;
};

/** @param clock the only one */
export function offlineDecider(control: MandatesInForce, clock: () => number): OfflineDecider {
  const ledger = createMemoryLedger({ clock, epoch: 'eval' });
  const context: AnswerContext = {
    ledger,
    control: () => control,
    redact: (action) => action,
    clock,
    deadlines: false,
  };
  let offset = 0;
  return {
    ledger,
    async answer(value) {
      const source = { topic: 'eval', partition: 0, offset: String(offset++) };
      const incoming = { source, appendedAtMs: clock(), key: null, value };
      const { answers, operations } = await answerBatch([incoming], context);
      await ledger.confirm(ledger.epoch, operations);
      const [answer] = answers;
      // No offset comes twice, so nothing is answered `published`.
      if (answer === undefined || answer.kind === 'published') throw new Error('a record was not answered');
      return answer.record;
    },
  };
}
