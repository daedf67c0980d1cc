/** The form of the operators and functions of CEL. */
import type { StepBudget } from '@mandate/policy/parts';
import type { Result, Value } from './values.ts';

export type Operation = {
  /** The name of the operation as expressions write it, for messages. */
  readonly name: string;
  /** Undefined if the operation does not take operands of these types. May throw EvaluationEnded. */
  readonly run: (operands: readonly Value[], budget: StepBudget) => Result | undefined;
};

/**
 * An operation without its name. `arguments`: the possible numbers of arguments. The target of a method does not count
 * as an argument.
 */
export type Written = { readonly arguments: readonly number[]; readonly run: Operation['run'] };
