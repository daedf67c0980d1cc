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
  type Decision,
  type Outcome,
  outcome,
  type Settlement,
} from '@mandate/schemas';
import type { AnswerContext } from '../answer.ts';
import { answerAlone, type Delivery, type Evaluated } from '../answer-alone.ts';

export type LocalDecider = {
  /**
   * Returns the delivery that decides an action.
   *
   * @param record must have passed `readActionsRecord`, because it is not checked again
   */
  deliverRequest(record: ActionRequested): Delivery<Decision>;
  /**
   * Returns the delivery that settles an allowed action. The outcome counts as the agent's own report. Throws if the
   * outcome is not valid.
   */
  deliverOutcome(reported: Outcome): Delivery<Settlement>;
};

type Setup = {
  ledger: Ledger;
  control: MandatesInForce;
  /** Redacts an action for its decision. */
  redact: (action: Action) => Action;
  clock: () => number;
  /** See `AnswerContext`. */
  finders?: AnswerContext['finders'];
};

/** The record is given as an object. The bytes would only be read for a dead letter. */
const NO_BYTES = new Uint8Array();

export function localDecider({ ledger, control, redact, clock, finders }: Setup): LocalDecider {
  const own = { ledger, control: () => control, redact, clock, deadlines: true };
  const context = { ...own, ...(finders && { finders }) };
  // Each decider has a topic of its own, because a log position identifies a delivery in the ledger, and ids of
  // decisions are made from log positions. On such a topic, every outcome is the agent's own report.
  const deliver = answerAlone(context, `local/${randomUUID()}`);

  return {
    deliverRequest(written) {
      const delivery = deliver({ value: NO_BYTES, written });
      return () => delivery().then(decisionIn);
    },
    deliverOutcome(reported) {
      const written = { event: 'action.completed', outcome: outcome.parse(reported) } as const;
      const delivery = deliver({ value: NO_BYTES, written });
      return () => delivery().then(settlementIn);
    },
  };
}

function decisionIn(answer: Evaluated): Decision {
  if (answer.event !== 'action.decided') throw new Error(`a request was answered by ${answer.event}`);
  return answer.decision;
}

function settlementIn(answer: Evaluated): Settlement {
  if (answer.event !== 'action.settled') throw new Error(`an outcome was answered by ${answer.event}`);
  return answer.settlement;
}
