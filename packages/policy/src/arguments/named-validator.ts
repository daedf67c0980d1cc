import type { Effort } from '../effort.ts';
import type { ArgumentFault } from './argument-fault.ts';

/**
 * Judges the arguments of one call; null when there is nothing against them. Where there is not effort enough, `effort.left`
 * is below 0, and what it says is nothing.
 */
export type ArgumentCheck = (args: unknown, effort: Effort) => ArgumentFault | null;

/** A validator that a mandate names. */
export interface NamedValidator {
  /** One line for people who write mandates. */
  readonly describe: string;
  /** JSON Schema of its parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Without parameters it may be named as a plain string. */
  readonly parametersRequired: boolean;
  /** What is wrong with parameters that have passed the schema; null when nothing is. Absent: the schema says it all. */
  faultOf?(parameters: unknown): string | null;
  /** Whether all that `after` lets through `before` lets through as well. Absent: it is not known. */
  narrows?(before: unknown, after: unknown): boolean;
  /** `parameters` has passed the schema; undefined when none were given. */
  create(parameters: unknown): ArgumentCheck;
}
