import type { StepBudget } from '../step-budget.ts';
import type { ArgumentFault } from './argument-fault.ts';

/**
 * Checks the arguments of one call. Returns null if there is no fault. If `stepBudget.left` is below 0 afterwards, the
 * step budget was used up and the result means nothing.
 */
export type ArgumentCheck = (args: unknown, stepBudget: StepBudget) => ArgumentFault | null;

/** A validator that a mandate names. */
export interface NamedValidator {
  /** One line that explains the validator to authors of mandates. */
  readonly describe: string;
  /** JSON Schema of its parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** If false, a mandate may name the validator as a plain string, without parameters. */
  readonly parametersRequired: boolean;
  /** Returns the fault of parameters that the schema accepted, or null. Absent if the schema checks everything. */
  faultOf?(parameters: unknown): string | null;
  /** True if `before` also accepts everything that `after` accepts. Absent if this is not known. */
  narrows?(before: unknown, after: unknown): boolean;
  /** Creates the check. The schema has accepted `parameters`; they are undefined if the document gives none. */
  create(parameters: unknown): ArgumentCheck;
}
