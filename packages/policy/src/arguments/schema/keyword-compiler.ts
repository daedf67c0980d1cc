import type { LinearPattern } from '../linear-pattern.ts';
import type { Dialect, Members } from './keywords.ts';
import type { Check } from './run.ts';

/** Compiles the schemas, references and patterns in the value of a keyword. */
export interface SchemaCompiler {
  readonly dialect: Dialect;
  compile(part: unknown): Check;
  refer(reference: string): Check;
  pattern(source: string): LinearPattern;
}

/**
 * Makes the check for one keyword. Returns null if the keyword has no effect by itself. `value` has the shape that
 * KEYWORDS defines for the keyword. `schema` is the schema that contains the keyword.
 */
export type KeywordCompiler = (
  value: never,
  context: { readonly schema: Members; readonly compiler: SchemaCompiler },
) => Check | null;
