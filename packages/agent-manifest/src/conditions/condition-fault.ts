import type { StepBudget } from '@mandate/policy/parts';
import { compileExpression } from './compile-expression.ts';
import { roomFault, roomForExpressions } from './room.ts';

/**
 * Returns the fault of a condition of a switch, or null. A condition without a fault can still fail when it is
 * evaluated, because the data of a run are not known in advance.
 *
 * @param room shared by all expressions of a manifest; the size of this one is subtracted
 */
export function conditionFault(expression: string, room: StepBudget = roomForExpressions()): string | null {
  const tooMuch = roomFault(expression, room);
  if (tooMuch !== null) return tooMuch;
  const compiled = compileExpression(expression);
  return 'fault' in compiled ? compiled.fault : null;
}
