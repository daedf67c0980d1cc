/** CUSTOM charging: a function of the program computes the cost of a call. Only local mode supports it. */
import type { Action } from '@mandate/schemas';
import type { Prices } from './decision-point.ts';
import { ignoreRejection } from './plain-values.ts';
import type { OnError, RunningOutcome } from './types.ts';

/**
 * Returns the cost of a tool call or model call, in micro-dollars. Before the call, `outcome` is null, and the result
 * is the estimate that is reserved. After the call, the result is the actual cost. The prices and caps of the mandate
 * apply to both.
 */
export type Charge = (call: Action, outcome: RunningOutcome | null) => number;

/** Returns prices that the function computes. */
export function customPrices(charge: Charge, onError: OnError): Prices {
  return {
    // Other actions, such as prompts and reads of memory, cost nothing.
    estimate: (action) => (isCall(action) ? amountOf(charge, action, null) : 0),
    outcomeOf(action, outcome) {
      // A cancelled call never ran.
      if (outcome.status === 'cancelled' || !isCall(action)) return outcome;
      try {
        return { ...outcome, actualCostMicros: amountOf(charge, action, outcome) };
      } catch (error) {
        onError(error);
        // The cost is unknown, so nothing is given back. A success is charged as reserved.
        const isGood = outcome.status === 'success' && outcome.verification?.ok !== false;
        return isGood
          ? { status: 'success', ...(outcome.verification && { verification: outcome.verification }) }
          : null;
      }
    },
  };
}

function isCall({ type }: Action): boolean {
  return type === 'tool_call' || type === 'llm_call';
}

function amountOf(charge: Charge, action: Action, outcome: RunningOutcome | null): number {
  const micros: unknown = charge(action, outcome);
  ignoreRejection(micros);
  if (Number.isSafeInteger(micros) && (micros as number) >= 0) return micros as number;
  throw new RangeError(
    `charge returned ${String(micros)}: it must be a whole number of micro-dollars, 0 or more`,
  );
}
