/**
 * @mandate/engine: decides actions, and nothing else. It needs a policy and a ledger. It needs no log, server or
 * clock.
 *
 * `answerBatch` takes records of an actions topic and gives one answer for each, in order:
 *
 * 1. read: a record becomes an action or an outcome of a tenant. A record that cannot be read becomes a dead letter.
 * 2. plan (@mandate/policy): a verdict that needs no state, or the limits to reserve.
 * 3. step (@mandate/ledger): one atomic step for the batch checks every limit, and charges what is allowed.
 * 4. decide (@mandate/policy): the plan and the facts of the step become the decision, with its explanation.
 * 5. record: the answer is a record for the decisions topic. The caller publishes it, and then confirms it to the
 * ledger.
 *
 * The decider calls `answerBatch` between two topics of the log. `offlineDecider` and `evaluate` call it with a
 * ledger in memory and a clock that the caller sets. `mandate eval`, `mandate test` and the tests use this offline
 * decider. `localDecider` calls it for the actions of a process that embeds Mandate, such as an agent with the SDK.
 */

export type { Answer, AnswerContext, Incoming } from './answer.ts';
export type { Evaluated } from './answer-alone.ts';
export { answerBatch } from './answer-batch.ts';
export { type LocalDecider, localDecider } from './local/local-decider.ts';
export { evaluate } from './offline/evaluate.ts';
export { type OfflineDecider, offlineDecider } from './offline/offline-decider.ts';
