/**
 * Limits the total size of the expressions of one manifest, because parsing a MiB of expressions would take seconds.
 */
import { consume, type StepBudget } from '@mandate/policy/parts';

/** The maximum number of characters in all expressions of a manifest. Parsing takes about 2 µs for each character. */
const MOST_CHARACTERS = 32_768;
/** The fixed cost of every expression, in characters, however short it is. */
const COST_OF_ONE = 16;

/** Returns a full limit for the expressions of one manifest. */
export function roomForExpressions(): StepBudget {
  return { left: MOST_CHARACTERS };
}

/** Returns a fault if the expression exceeds the rest of the limit, otherwise null. */
export function roomFault(expression: string, room: StepBudget): string | null {
  if (consume(room, expression.length + COST_OF_ONE)) return null;
  return `with it the expressions of the manifest have more than ${MOST_CHARACTERS} characters`;
}
