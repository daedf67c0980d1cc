/**
 * The price that an upstream bills, if `models.yaml` states one. It can raise the price of policies and price lists, and
 * never lowers it: the greater amount is reserved, and the greater amount is charged.
 */
import type { TokenPrice } from '@mandate/schemas';
import type { RunningAction } from '@mandate/sdk/plane';
import type { ModelRequest } from '@mandate/sdk/proxy';
import { usageMicrosOf } from '@mandate/step';

/** Returns what the call costs at most, as an option of the action. Empty without a price. */
export function estimateOf(
  price: TokenPrice | null,
  { inputTokens, maxOutputTokens = 0 }: ModelRequest,
): { estimatedCostMicros?: number } {
  const micros = price && usageMicrosOf([price], { inputTokens, outputTokens: maxOutputTokens });
  return micros === null ? {} : { estimatedCostMicros: micros };
}

/** Returns the action. Its outcome states what the upstream bills for the usage. */
export function billedAt(price: TokenPrice | null, action: RunningAction): RunningAction {
  if (price === null) return action;
  return {
    ...action,
    settle(outcome) {
      const micros = usageMicrosOf([price], outcome.usage);
      return action.settle(micros === null ? outcome : { ...outcome, actualCostMicros: micros });
    },
  };
}
