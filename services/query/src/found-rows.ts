/** Converts rows of decisions, settlements and control events into the form of answers. */
import {
  CONTROL_PARTITION,
  type DecisionSummary,
  type FollowedControlEvent,
  type SettlementSummary,
  searchDecisions,
  searchSettlements,
} from '@mandate/audit';
import { described, logPosition } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from './amounts.ts';
import { withLogPosition } from './query-context.ts';

const LOG_POSITION = { logTopic: true, logPartition: true, logOffset: true } as const;

export const decisionFound = searchDecisions.row.omit(LOG_POSITION).extend({
  chargedMicros: described(microsField, 'What the decision charged, in micro-dollars.', 100_000),
  charged: dollarsField,
  cumulativeMicros: described(
    microsField,
    'What the agent has spent in its lifetime, in micro-dollars.',
    340_000,
  ),
  cumulative: dollarsField,
  log: described(logPosition, 'The log position of the decision.'),
});

export type DecisionFound = z.output<typeof decisionFound>;

export function shownDecision(row: DecisionSummary): z.output<typeof decisionFound> {
  return withLogPosition(withDollars(row));
}

export const settlementFound = searchSettlements.row.omit(LOG_POSITION).extend({
  deltaMicros: described(
    microsField,
    'What the outcome added to the charge, in micro-dollars. Negative: it gave back.',
    -9_000,
  ),
  delta: dollarsField,
  chargedMicros: described(
    microsField,
    'The whole cost of the action after the outcome, in micro-dollars.',
    91_000,
  ),
  charged: dollarsField,
  cumulativeMicros: described(
    microsField,
    'What the agent has spent in its lifetime, in micro-dollars.',
    331_000,
  ),
  cumulative: dollarsField,
  excessMicros: described(
    microsField,
    "The part of the actual cost above its cap, in micro-dollars. Only the agent's own budgets are charged with it.",
    0,
  ),
  excess: dollarsField,
  releasedMicros: described(
    microsField,
    "What the agent's own reports gave back with this one, in micro-dollars. Negative: a success made room.",
    -18_200,
  ),
  released: dollarsField,
  usage: described(
    z.string().optional(),
    'The cost of the tokens in dollars, for people. Absent if `usageMicros` is null.',
    '$0.02043',
  ),
  mayRelease: described(
    z.boolean(),
    'Whether a trusted reporter reported it, such as a key with the scope `release`.',
    false,
  ),
  reportedBy: described(
    z.string().nullable(),
    'The public id of the key that reported it. null: a producer reported it, or the key was not recorded.',
    '7dQ1xYb0aKpL',
  ),
  log: described(logPosition, 'The log position of the settlement.'),
});

export type SettlementFound = z.output<typeof settlementFound>;

export function shownSettlement(row: SettlementSummary): z.output<typeof settlementFound> {
  return withLogPosition(withDollars(row));
}

export type ControlEventFound = ReturnType<typeof shownControlEvent>;

export function shownControlEvent(row: FollowedControlEvent) {
  const isChange = row.logPartition === CONTROL_PARTITION;
  return withLogPosition({ ...row, logPartition: isChange ? 0 : row.logPartition });
}
