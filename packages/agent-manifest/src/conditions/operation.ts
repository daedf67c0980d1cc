/** The form of the operators and functions of CEL. */
import type { StepBudget } from '@mandate/policy/parts';
import type { Result, Value } from './values.ts';

export type Operation = {
  /** As an expression writes it, for messages. */
  readonly name: string;
  /** Undefined if the operation does not take operands of these types. May throw EvaluationEnded. */
  readonly run: (operands: readonly Value[], budget: StepBudget) => Result | undefined;
};

/** A function as its file writes it, with the possible numbers of arguments. The target of a method does not count. */
export type Written = { readonly arguments: readonly number[]; readonly run: Operation['run'] };
