import type { StepBudget } from '../step-budget.ts';
import type { ArgumentFault } from './argument-fault.ts';

/**
 * Checks the arguments of one call. Returns null if there is no fault. If `stepBudget.left` is below 0 after the
 * call, the step budget was used up and the result is not valid.
 */
export type ArgumentCheck = (args: unknown, stepBudget: StepBudget) => ArgumentFault | null;

/** A validator that a policy can name. */
export interface NamedValidator {
  /** One line that explains the validator to authors of mandates. */
  readonly describe: string;
  /** The JSON Schema of the validator's parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** If false, a document may name the validator as a plain string, without parameters. */
  readonly parametersRequired: boolean;
  /**
   * Returns the fault of parameters that the schema accepted, or null. Absent if the schema checks the parameters
   * completely.
   */
  faultOf?(parameters: unknown): string | null;
  /** True if `before` accepts everything that `after` accepts. Absent if the validator cannot tell this. */
  narrows?(before: unknown, after: unknown): boolean;
  /**
   * Creates the check. The schema has already accepted `parameters`. They are undefined if the document gives none.
   */
  create(parameters: unknown): ArgumentCheck;
}
