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
  /** JSON Schema of its parameters; null when it takes none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  /** Without parameters it may be named as a plain string. */
  readonly parametersRequired: boolean;
  /** `parameters` has passed the schema; undefined when none were given. */
  create(parameters: unknown): ArgumentCheck;
}
