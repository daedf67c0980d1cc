/** Limits the expressions of one manifest together, because parsing a MiB of them would take seconds. */
import { consume, type StepBudget } from '@mandate/policy/parts';

/** The most characters of all expressions of a manifest. Parsing takes about 2 µs for each. */
const MOST_CHARACTERS = 32_768;
/** What every expression costs, however short it is, in characters. */
const COST_OF_ONE = 16;

/** Returns the room for the expressions of one manifest. */
export function roomForExpressions(): StepBudget {
  return { left: MOST_CHARACTERS };
}

/** Returns a fault if there is no room for the expression, otherwise null. */
export function roomFault(expression: string, room: StepBudget): string | null {
  if (consume(room, expression.length + COST_OF_ONE)) return null;
  return `with it the expressions of the manifest have more than ${MOST_CHARACTERS} characters`;
}
