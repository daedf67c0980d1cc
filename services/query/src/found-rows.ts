/** Decisions, settlements and control events in the form in which answers show them. */
import {
  CONTROL_PARTITION,
  type DecisionSummary,
  type LandedControlEvent,
  type SettlementSummary,
  searchDecisions,
  searchSettlements,
} from '@mandate/audit';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from './amounts.ts';
import { logPosition, withLogPosition } from './query-context.ts';

const LOG_POSITION = { logTopic: true, logPartition: true, logOffset: true } as const;

export const decisionFound = searchDecisions.row.omit(LOG_POSITION).extend({
  chargedMicros: microsField,
  charged: dollarsField,
  cumulativeMicros: microsField,
  cumulative: dollarsField,
  log: logPosition,
});

export function shownDecision(row: DecisionSummary): z.output<typeof decisionFound> {
  return withLogPosition(withDollars(row));
}

export const settlementFound = searchSettlements.row.omit(LOG_POSITION).extend({
  deltaMicros: microsField.describe('Added to the charge, or given back when negative.'),
  delta: dollarsField,
  chargedMicros: microsField.describe('The charge after it.'),
  charged: dollarsField,
  cumulativeMicros: microsField,
  cumulative: dollarsField,
  excessMicros: microsField.describe("Above the cap: charged to the agent's own budgets alone."),
  excess: dollarsField,
  releasedMicros: microsField.describe(
    "Added to what the agent's own reports gave back; negative where a success made room.",
  ),
  released: dollarsField,
  mayRelease: z.boolean().describe('A trusted reporter reported it, such as a key with the scope `release`.'),
  reportedBy: z.string().nullable().describe('The id of the key; null: a producer, or not recorded.'),
  log: logPosition,
});

export function shownSettlement(row: SettlementSummary): z.output<typeof settlementFound> {
  return withLogPosition(withDollars(row));
}

export function shownControlEvent(row: LandedControlEvent) {
  const isChange = row.logPartition === CONTROL_PARTITION;
  return withLogPosition({ ...row, logPartition: isChange ? 0 : row.logPartition });
}
