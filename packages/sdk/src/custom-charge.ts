/** CUSTOM charging: a function of the caller says what a call costs. Only local mode has it. */
import type { Action } from '@mandate/schemas';
import { ignoreRejection } from './plain-values.ts';
import type { RunningOutcome } from './types.ts';

/**
 * Returns what a call costs, in micro-dollars. Before the call, `outcome` is null, and the result is the estimate that
 * is reserved. After the call, the result is the actual cost. The prices and caps of the mandate apply to both.
 */
export type Charge = (call: Action, outcome: RunningOutcome | null) => number;

/** @throws an error if the function throws, or returns no amount. The call is then blocked. */
export function customEstimate(charge: Charge, action: Action): number {
  return amountOf(charge, action, null);
}

/**
 * Returns the outcome with its actual cost. If the function fails, no amount may be released: a success is charged as
 * reserved, and for anything else the result is null, because the reservation must stay.
 */
export function customOutcome(
  charge: Charge,
  action: Action,
  outcome: RunningOutcome,
  onError: (error: unknown) => void,
): RunningOutcome | null {
  // A cancelled call never ran.
  if (outcome.status === 'cancelled') return outcome;
  try {
    return { ...outcome, actualCostMicros: amountOf(charge, action, outcome) };
  } catch (error) {
    onError(error);
    const isGood = outcome.status === 'success' && outcome.verification?.ok !== false;
    return isGood
      ? { status: 'success', ...(outcome.verification && { verification: outcome.verification }) }
      : null;
  }
}

function amountOf(charge: Charge, action: Action, outcome: RunningOutcome | null): number {
  const micros: unknown = charge(action, outcome);
  ignoreRejection(micros);
  if (Number.isSafeInteger(micros) && (micros as number) >= 0) return micros as number;
  throw new RangeError(
    `charge returned ${String(micros)}: it must be a whole number of micro-dollars, 0 or more`,
  );
}
