/**
 * @mandate/step: the arithmetic of the atomic step. The package is pure: no I/O, no clock, no randomness.
 *
 * One step decides one request, or settles one outcome. This package defines what such a step computes: the verdict
 * from the facts that the step found (verdict.ts), the final charge of an action (final-charge.ts), and the content of a
 * window and the wait until a call fits (sliding-sum.ts, sliding-rate.ts). The memory ledger, the rebuild of a
 * ledger, the policy and the audit of the log all use these definitions, so that they cannot disagree.
 *
 * There are two other implementations on purpose: the Lua scripts of Redis, and the reference model of the ledger's
 * contract. Tests compare both with this package.
 */
export {
  addToCounter,
  type BudgetCounter,
  createBudgetCounter,
  excessIn,
  fittingIn,
  spentIn,
  stillCounts,
} from './budget-counter.ts';
export {
  type BudgetReference,
  type Chargeable,
  chargedCounters,
  counterOfUnit,
  isBudgetLimit,
  isOwnBudget,
  isUnitLimit,
  moneyToCharge,
  openCallsOf,
  releasedOf,
  totalOf,
  unitLimitsOf,
  unitToCharge,
} from './charged-budgets.ts';
export {
  amountsOf,
  CHARGING_TABLE,
  type ChargingRow,
  chargingOf,
  type KeptAmounts,
  keptAmounts,
} from './charging-table.ts';
export { finalCharge } from './final-charge.ts';
export {
  budgetFact,
  mostCallsBefore,
  mostSpentBefore,
  rateFact,
  unitFact,
  unspentFact,
  waitForAll,
} from './limit-facts.ts';
export {
  callsIn,
  createSlidingRate,
  type RateReference,
  releaseSlot,
  type SlidingRate,
  slotTimes,
  takeSlot,
} from './sliding-rate.ts';
export {
  addToSlidingSum,
  bucketStartMs,
  type SlidingSum,
  slidingBuckets,
  slidingSum,
} from './sliding-sum.ts';
export {
  countAgain,
  countedTurn,
  countInTurn,
  openTurn,
  type Turn,
  turnFact,
  turnKey,
  turnOf,
} from './turn.ts';
export { reportedIn, unitCharge } from './unit-charge.ts';
export { usageMicrosOf } from './usage-price.ts';
export {
  decisionKind,
  endsStep,
  enforcedVerdict,
  failedLimit,
  firstFailing,
  isObserveOnly,
  limitsVerdict,
  publishedVerdict,
  type StepVerdict,
  type VerdictCode,
} from './verdict.ts';
export {
  NOT_PLANNED,
  VERDICT_OF_GRANT,
  VERDICT_OF_TURN,
  VERDICT_OF_UNIT,
  VERDICTS,
  type VerdictName,
  type VerdictRow,
} from './verdict-table.ts';
