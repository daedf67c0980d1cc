/**
 * Decides the actions of this process, for as long as the process runs. The clock is real, deadlines apply, and the
 * ledger is given. Several deciders may share a ledger, and so its budgets, leases and kills.
 *
 * The checks read the action as it is, because nothing is published before the decision. The decision contains the
 * redacted action.
 */
import { randomUUID } from 'node:crypto';
import type { Ledger } from '@mandate/ledger';
import type { MandatesInForce } from '@mandate/policy';
import {
  type Action,
  type ActionRequested,
  type ActionsRecord,
  type Decision,
  type Outcome,
  outcome,
  type Settlement,
} from '@mandate/schemas';
import { answerAlone } from '../answer-alone.ts';

export type LocalDecider = {
  /** @param record must have passed `readActionsRecord`, because it is not checked again */
  decide(record: ActionRequested): Promise<Decision>;
  /** Settles an allowed action. The outcome counts as the agent's own report. Rejects if the outcome is not valid. */
  settle(reported: Outcome): Promise<Settlement>;
  /** Like `decide`. The returned function may be called again if the ledger gave no answer: it decides once. */
  deciding(record: ActionRequested): () => Promise<Decision>;
  /** Like `settle`, in the same way. Throws if the outcome is not valid. */
  settling(reported: Outcome): () => Promise<Settlement>;
};

type Setup = {
  ledger: Ledger;
  control: MandatesInForce;
  /** Redacts an action for its decision. */
  redact: (action: Action) => Action;
  clock: () => number;
};

/** The record is given as an object. The bytes would only be read for a dead letter. */
const NO_BYTES = new Uint8Array();

export function localDecider({ ledger, control, redact, clock }: Setup): LocalDecider {
  const context = { ledger, control: () => control, redact, clock, deadlines: true };
  // Each decider has a topic of its own, because a log position identifies a delivery in the ledger, and ids of
  // decisions are made from log positions. On such a topic, every outcome is the agent's own report.
  const answer = answerAlone(context, `local/${randomUUID()}`);
  const deliver = (written: ActionsRecord) => answer({ value: NO_BYTES, written });

  const deciding: LocalDecider['deciding'] = (record) => {
    const delivery = deliver(record);
    return async () => {
      const answered = await delivery();
      if (answered.event !== 'action.decided') throw new Error(`a request was answered by ${answered.event}`);
      return answered.decision;
    };
  };
  const settling: LocalDecider['settling'] = (reported) => {
    const delivery = deliver({ event: 'action.completed', outcome: outcome.parse(reported) });
    return async () => {
      const answered = await delivery();
      if (answered.event !== 'action.settled')
        throw new Error(`an outcome was answered by ${answered.event}`);
      return answered.settlement;
    };
  };
  return {
    deciding,
    settling,
    decide: (record) => deciding(record)(),
    settle: async (reported) => settling(reported)(),
  };
}
